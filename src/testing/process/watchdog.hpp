// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"
#include "testing/process/child_process.hpp"

#include <filesystem>

namespace docent::testing {

/// A small process that outlives the host program. When the host program ends, in any way, the watchdog kills the server and
/// removes the folder. It reads process ids from a socket; only the host program has the other end, so the kernel reports its
/// end. The parent-death signal would come too early: it comes when the *thread* that started the server ends.
class Watchdog {
public:
    /// If the watchdog cannot be started, removes the empty folder and throws std::runtime_error.
    explicit Watchdog(const std::filesystem::path& folder);
    /// Removes the folder, and waits for that.
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// For `ChildCommand::announce_to`, so that the server never runs unguarded.
    int announce_to() const noexcept { return ours_.get(); }
    /// The server has ended: do not kill its process id, which another process may get.
    void forget_process() noexcept;

private:
    void start();

    posix::UniqueFd ours_;
    ChildProcess process_;
    std::filesystem::path folder_;
};

} // namespace docent::testing
