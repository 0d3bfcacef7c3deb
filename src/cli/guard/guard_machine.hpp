// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard_process.hpp"

#include <optional>

namespace docent::cli {

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

    /// When to call on_time() next; nothing: after the next event only. During `kill` the time is in the past.
    std::optional<time_point> due() const;

private:
    time_point ask_at() const;
    time_point kill_at() const;

    bool armed_ = false;
    bool asked_ = false; // the guard has asked the processes to end: the bound cannot move any more
    bool owner_gone_ = false;
    time_point bound_{};
    duration grace_{};
    std::optional<time_point> stop_by_; // docent has asked the processes to end; kill them at this time
};

} // namespace docent::cli
