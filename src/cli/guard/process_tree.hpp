// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace docent::cli {

/// What /proc says about a process.
struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0;
    bool ended = false; // and nobody has asked yet how
    friend bool operator==(const ProcessEntry&, const ProcessEntry&) = default;
};

/// The text of /proc/PID/stat. The second field is a name between parentheses, in which the process may have put anything.
std::optional<ProcessEntry> parse_process_stat(std::string_view text);

/// All processes; nothing if they cannot be read for now, for want of descriptors say.
std::optional<std::vector<ProcessEntry>> read_process_table();

/// Those that run among the children of `root`, their children, and so on.
std::vector<pid_t> find_descendants(pid_t root, const std::vector<ProcessEntry>& table);

/// Our descendants that lose their parent become our children from now on, not init's. False if that cannot be.
bool adopt_orphans() noexcept;

/// Whether this process has children, of its own or of whoever became it.
bool has_children() noexcept;

} // namespace docent::cli
