// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"
#include "cli/guard/process_folder.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>

#include <sys/types.h>

namespace docent::cli {

/// Finds all processes that run under a lock, in three ways:
/// - the members of CMD's cgroup, if it has one; misses processes that were moved to another cgroup;
/// - the descendants of `root`, a process that adopts orphans; also finds programs that write over their environment;
/// - the processes that were started with `mark` in their environment; also finds them after the end of `root`.
class HeldProcesses {
public:
    /// `spared` is a descendant that does not count; its own descendants do. `cgroup` may be null.
    HeldProcesses(const ProcessFolder& processes, const CommandCgroup* cgroup, pid_t root, pid_t spared, std::string mark);

    /// Sends the signals to each process except `but`, which has had them already. Returns the number of processes signalled.
    /// Returns nothing if the search was incomplete, for example without descriptors. Processes of other users that docent may
    /// not signal do not count.
    std::optional<std::size_t> send(std::initializer_list<int> signals, std::optional<pid_t> but = {}) const;
    /// Whether such a process exists, or may exist.
    bool any() const;

private:
    const ProcessFolder& processes_;
    const CommandCgroup* cgroup_;
    pid_t root_;
    pid_t spared_;
    std::string mark_;
};

} // namespace docent::cli
