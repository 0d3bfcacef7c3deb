// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

/// A child process in a new session, so that a terminal's signals do not reach it. The object waits for this child only, so a
/// host program may handle SIGCHLD as it likes. The owner must end the child: the destructor does nothing.
class ChildProcess {
public:
    ChildProcess() = default;
    /// The first argument is the program's full path. The child inherits the environment, and only the descriptors of `start`.
    /// Throws std::runtime_error if the program cannot be executed.
    explicit ChildProcess(const std::vector<std::string>& arguments, const posix::DetachedStart& start = {});

    /// The process id; 0 if the child has ended.
    pid_t pid() const noexcept { return pid_; }
    /// Returns whether the child runs. Does not wait.
    bool poll_running() noexcept;
    bool wait_ended(std::chrono::milliseconds timeout) noexcept;
    void send(int signal) const noexcept;
    /// Sends SIGSTOP and waits until the child has stopped.
    void pause(std::chrono::milliseconds timeout) noexcept;
    /// A text that says how the child ended.
    std::string end_description() const;

private:
    bool collect(int options) noexcept;

    pid_t pid_ = 0;
    bool stopped_ = false;
    std::optional<int> wait_status_; // empty: the child runs, or the host program has taken its status
};

/// A small process that outlives the host program. When the host program ends, in any way, the watchdog kills the server and
/// removes the folder. It reads process ids from a socket; only the host program has the other end, so the kernel reports when
/// that program ends. The parent-death signal would come too early: it comes when the *thread* that started the server ends.
class Watchdog {
public:
    /// If the watchdog cannot be started, removes the empty folder and throws std::runtime_error.
    explicit Watchdog(const std::filesystem::path& folder);
    /// Removes the folder, and waits for that.
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// For `posix::DetachedStart::announce_to`, so that the server never runs unguarded.
    int announce_to() const noexcept { return ours_.get(); }
    /// The server has ended: do not kill its process id, which another process may get.
    void forget_process() noexcept;

private:
    posix::UniqueFd ours_;
    ChildProcess process_;
    std::filesystem::path folder_;
};

} // namespace docent::testing
