// SPDX-License-Identifier: Apache-2.0
#pragma once

// The messages between docent, its guard, and the child that becomes the program. Each packet has one message.

#include "cli/guard/command_cgroup.hpp"
#include "cli/guard/process_folder.hpp"
#include "posix/boot_clock.hpp"
#include "posix/descriptors.hpp"

#include <signal.h>
#include <sys/socket.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

using zk::BootClock;

/// From docent to its guard. After `arm` comes the environment entry that marks the program's processes.
struct GuardOrder {
    enum class Kind { arm, extend, stop_by, disarm };
    Kind kind = Kind::disarm;
    BootClock::time_point time{}; // arm, extend: the lock is certainly held until then. stop_by: when to kill
    BootClock::duration grace{};  // arm
};

/// From the guard to docent. The value of `started`: the child's process id; of `ended`: the child's status as from waitpid();
/// of `failed`: errno. `bound_passed` has no value.
struct GuardReport {
    enum class Kind { started, bound_passed, ended, failed };
    Kind kind = Kind::failed;
    int value = 0;
};

/// The child reports this if it was too late to execute the program, and otherwise errno of a failed exec. Before that, docent
/// sends the child one packet: a BootClock::time_point until which the child may execute the program, and environment entries,
/// each with a zero byte at its end.
constexpr int too_late = -1;

/// Larger than each packet: the kernel limits the environment entries of an exec.
constexpr std::size_t longest_message = std::size_t{256} * 1024;

/// Decides when the guard ends the processes that run under a lock. While docent extends the bound in time, the guard does
/// nothing. Pure.
class GuardMachine {
public:
    using time_point = BootClock::time_point;
    using duration = BootClock::duration;
    enum class Action {
        nothing,
        ask,   // ask the processes to end, with SIGTERM or another signal
        kill,  // send SIGKILL until no process is left
        leave, // end the guard
    };

    void on_order(const GuardOrder& order);

    /// docent has ended, or has closed its socket.
    void on_owner_gone() { owner_gone_ = true; }

    /// During `kill`: no process is left, so no other can be started.
    void on_nothing_left() { armed_ = false; }

    Action on_time(time_point now);

    /// Whether the guard ends the processes because docent did not extend the bound in time.
    bool bound_passed() const { return bound_passed_; }

    /// When to call on_time() next; nothing: after the next event only. During `kill` the time is in the past.
    std::optional<time_point> due() const;

private:
    time_point ask_at() const;
    time_point kill_at() const;

    bool armed_ = false;
    bool bound_passed_ = false; // once true, the bound does not move any more
    bool owner_gone_ = false;
    time_point bound_{};
    duration grace_{};
    std::optional<time_point> stop_by_; // docent has asked the processes to end; kill them at this time
};

/// The arguments of the guard process: its ends of two packet sockets, and how to run the program.
struct GuardPost {
    const std::vector<std::string>& words;
    sigset_t mask;  // the program's signal mask
    int end_signal; // asks the program to end
    std::shared_ptr<const ProcessFolder> processes;
    std::shared_ptr<CommandCgroup> cgroup; // for the program; may be null
    posix::UniqueFd orders;                // carries orders from docent, and reports to it
    posix::UniqueFd start;                 // for the child that becomes the program
};

/// The body of the guard: forks the child, leaves docent's session and terminal, and carries out the actions of GuardMachine
/// until docent has ended and no process is left to kill. Then removes the cgroup.
void run_guard(GuardPost post);

} // namespace docent::cli
