// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of `docent top`. Pure.

#include "cli/top/lock_tree.hpp"
#include "cli/view/text/shown.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// One queue at a path.
struct LockRow {
    std::string path = {};
    std::string kind = {}; // mutex, read, write, semaphore, leader
    std::size_t holders = 0;
    std::optional<std::size_t> limit = {}; // where the names tell how many may hold at once
    std::size_t waiters = 0;
    std::size_t reserved = 0;                          // permits put aside for the first waiter
    std::optional<std::string> label = {};             // of the first holder, as it is in the node; nothing before it is known
    std::optional<std::chrono::milliseconds> age = {}; // of the first holder's node, with the time that it waited
    std::optional<std::chrono::milliseconds> oldest = {}; // since the first who waits came
    std::optional<double> turns_per_minute = {};
    std::size_t strangers = 0;
    std::string holder_node = {}; // of the first holder
    friend bool operator==(const LockRow&, const LockRow&) = default;
};

/// Nobody's age is more than what this machine's clock says.
std::vector<LockRow> rows_of(const LockTree& tree, LockTree::Time now, std::chrono::system_clock::time_point wall_clock);

enum class SortKey { path, waiters, age, oldest, turns };
constexpr SortKey next_key(SortKey key) {
    return key == SortKey::turns ? SortKey::path : static_cast<SortKey>(static_cast<int>(key) + 1);
}
std::string_view to_string(SortKey key) noexcept;

/// By path, or the largest first; equal ones by path.
void sort_rows(std::vector<LockRow>& rows, SortKey key);

/// Whether a text is in the path, the kind or the label, whatever the case of its letters.
bool matches(const LockRow& row, std::string_view filter);

/// The lines' columns, aligned: the first line has the titles. Labels and paths are shortened to fit.
std::vector<std::string> row_lines(const std::vector<LockRow>& rows, std::size_t columns, Charset charset);

/// Which paths have locks of several kinds, that do not exclude each other, in a line; empty if none has.
std::string mixtures_text(const std::vector<LockRow>& rows);

/// In one line, with all that is known.
std::string rows_as_json(const std::vector<LockRow>& rows);

} // namespace docent::cli
