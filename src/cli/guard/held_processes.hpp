// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace docent::cli {

/// All that runs under a lock: what descends from `root`, a process that adopts orphans, and what has `mark` in the environment
/// that it was started with. The one finds programs that write over their environment, the other those of a root that has
/// ended.
class HeldProcesses {
public:
    /// `spared` is one of the descendants that does not count; its own descendants do.
    HeldProcesses(pid_t root, pid_t spared, std::string mark);

    /// To each but one, if there is one that has had it already; returns to how many. Nothing if they cannot be looked for, for
    /// want of descriptors say. Those of other users, which we may not signal, do not count.
    std::optional<std::size_t> send(int signal, std::optional<pid_t> but = {}) const;
    /// Whether there is any, or may be.
    bool any() const;

private:
    std::optional<std::vector<pid_t>> find() const;

    pid_t root_;
    pid_t spared_;
    std::string mark_;
};

} // namespace docent::cli
