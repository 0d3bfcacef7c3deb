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

/// All that runs under a lock: what is in the command's cgroup, if it has one; what descends from `root`, a process that adopts
/// orphans; and what has `mark` in the environment that it was started with. The first finds everything but what was moved to
/// another cgroup, the second programs that write over their environment, the third those of a root that has ended.
class HeldProcesses {
public:
    /// `spared` is one of the descendants that does not count; its own descendants do. `cgroup` may be null.
    HeldProcesses(const ProcessFolder& processes, const CommandCgroup* cgroup, pid_t root, pid_t spared, std::string mark);

    /// These to each but one, if there is one that has had them already; returns to how many. Nothing if some could not be
    /// looked for, for want of descriptors say. Those of other users, which we may not signal, do not count.
    std::optional<std::size_t> send(std::initializer_list<int> signals, std::optional<pid_t> but = {}) const;
    /// Whether there is any, or may be.
    bool any() const;

private:
    const ProcessFolder& processes_;
    const CommandCgroup* cgroup_;
    pid_t root_;
    pid_t spared_;
    std::string mark_;
};

} // namespace docent::cli
