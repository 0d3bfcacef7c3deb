// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/guard_protocol.hpp"

#include <optional>

namespace docent::cli {

/// What the guard does, and when, about processes that run under a lock: nothing as long as docent extends the bound in time.
/// Does nothing itself, and reads no clock.
class GuardMachine {
public:
    using time_point = BootClock::time_point;
    using duration = BootClock::duration;
    enum class Action {
        nothing,
        ask,   // them to end: SIGTERM
        kill,  // them, until none is left: SIGKILL
        leave, // the guard itself is to end
    };

    void on_order(const GuardOrder& order);

    /// Docent has ended, or has closed its end.
    void on_owner_gone() { owner_gone_ = true; }

    /// While killing: none is left. Others cannot come.
    void on_nothing_left() { armed_ = false; }

    Action on_time(time_point now);

    /// When on_time() has something to do next; nothing: only after the next event. While killing it is in the past.
    std::optional<time_point> due() const;

private:
    time_point ask_at() const;
    time_point kill_at() const;

    bool armed_ = false;
    bool asked_ = false; // by us: too late to extend anything
    bool owner_gone_ = false;
    time_point bound_{};
    duration grace_{};
    std::optional<time_point> stop_by_; // docent has asked them to end
};

} // namespace docent::cli
