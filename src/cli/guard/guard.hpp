// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"
#include "cli/guard/guard_protocol.hpp"
#include "cli/guard/held_processes.hpp"
#include "cli/guard/process_folder.hpp"
#include "posix/unique_fd.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace docent::cli {

/// A small process beside ours under which a program runs, so that nothing of it goes on without the lock, whatever happens to
/// us. When we are killed it kills the program and all that the program has started; when we stand still, it does what we would
/// do at the bound up to which the lock is certainly held. It is the parent of the program and adopts its orphans. The program
/// runs in a cgroup of its own if we may make one (command_cgroup.hpp).
///
/// If the guard is killed, the kernel kills the program, and we kill what is left; if it is stopped, we wake it, or the kernel
/// does when we end. Only if both of us stand still, or are killed at the same moment, does something go on.
class Guard {
public:
    /// Must be made before the first thread is started. The program waits; it is in our session and process group, has our
    /// standard streams, directory and descriptors, and the signal mask that we have now. It is asked to end by `end_signal`.
    /// Throws std::system_error, or std::runtime_error if /proc does not show our processes.
    explicit Guard(const std::vector<std::string>& words, int end_signal = SIGTERM);
    /// Ends the guard, and waits for that. What runs is killed unless stand_down() was called.
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    /// Starts the program, with these variables (`NAME=value`) more. From now on it is to end when `bound` passes, first
    /// asked, and killed after `grace`. The first variable marks its processes. 0, or errno if it could not be executed, or
    /// `too_late`.
    int start(BootClock::time_point bound, BootClock::duration grace, const std::vector<std::string>& more_environment);

    /// The lock is certainly held until then. Also wakes a guard that somebody has stopped.
    void extend(BootClock::time_point bound);
    /// Asks the program and all that it has started to end: its signal, and SIGCONT in case they are stopped. We would kill
    /// them at that time, and the guard does if we do not.
    void ask_to_end(BootClock::time_point kill_at);
    /// What runs may go on without the lock.
    void stand_down();

    /// Readable when poll_ended() or lost() may have changed.
    int fd() const noexcept { return orders_.get(); }
    /// The program's wait status when it has ended; never waits.
    std::optional<int> poll_ended();
    /// Whether the guard itself has ended before its time.
    bool lost() const noexcept { return lost_; }

    /// To the program.
    void send(int signal);
    /// To the program and all that it has started.
    void send_all(int signal);
    bool anything_left();

private:
    void give(const GuardOrder& order, std::string_view more = {}) noexcept;
    GuardReport read_report(int flags) noexcept;

    void send_program(int signal) const;
    bool program_is_gone() const;

    const int end_signal_;
    const ProcessFolder processes_;
    const std::unique_ptr<CommandCgroup> cgroup_; // may be null
    const bool adopts_;                           // what the guard leaves behind when it is killed
    posix::UniqueFd orders_;
    posix::UniqueFd seat_;
    pid_t guard_ = 0;
    pid_t program_ = 0;
    std::optional<ProcessHandle> program_handle_;
    std::optional<HeldProcesses> held_;
    std::optional<int> wait_status_;
    bool lost_ = false;
};

} // namespace docent::cli
