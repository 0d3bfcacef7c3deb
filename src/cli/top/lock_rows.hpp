// SPDX-License-Identifier: Apache-2.0
#pragma once

// The lines of `docent top`. Pure.

#include "cli/top/lock_tree.hpp"
#include "cli/view/shown.hpp"

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
    std::optional<std::size_t> limit = {}; // how many may hold at once, if the names tell
    std::size_t waiters = 0;
    std::size_t reserved = 0;                             // permits reserved for the first waiter
    std::optional<std::string> label = {};                // the data of the first holder's node; nothing before it was read
    std::optional<std::chrono::milliseconds> age = {};    // of the first holder's node, with the time that it waited
    std::optional<std::chrono::milliseconds> oldest = {}; // the age of the first waiter's node
    std::optional<double> turns_per_minute = {};
    std::size_t strangers = 0;
    std::string holder_node = {}; // of the first holder
};

/// The rows of a tree. Ages depend on this machine's clock.
std::vector<LockRow> rows_of(const LockTree& tree, LockTree::Time now, std::chrono::system_clock::time_point wall_clock);

enum class SortKey { path, waiters, age, oldest, turns };
constexpr SortKey next_key(SortKey key) {
    return key == SortKey::turns ? SortKey::path : static_cast<SortKey>(static_cast<int>(key) + 1);
}
std::string_view to_string(SortKey key) noexcept;

/// Sorts rows by path, or by another key with the largest first. Equal rows are sorted by path.
void sort_rows(std::vector<LockRow>& rows, SortKey key);

/// Whether the path, the kind or the label contains the text. Ignores case.
bool matches(const LockRow& row, std::string_view filter);

/// Lines with aligned columns. The first line has the titles. Shortens labels and paths to fit.
std::vector<std::string> row_lines(const std::vector<LockRow>& rows, std::size_t columns, Charset charset);

/// A line that names the paths with locks of several kinds, which do not exclude each other; empty if there are none.
std::string mixtures_text(const std::vector<LockRow>& rows);

/// All rows as JSON, in one line.
std::string rows_as_json(const std::vector<LockRow>& rows);

} // namespace docent::cli
