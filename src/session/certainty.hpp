// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"

#include <chrono>
#include <deque>

namespace docent::session {

using zk::BootClock;

// The rule, why it holds, and what it takes for granted: docs/proof.md. All are parts of the session timeout T.

/// How long the leader may be between two pings: half a tick, which is T/4 at the most, and T/24 for being late.
constexpr BootClock::duration longest_ping_gap(std::chrono::milliseconds timeout) {
    return BootClock::duration{timeout} * 7 / 24;
}

/// How long a session lives at least, by our clock, that its leader has heard of: T, but for clocks that do not run alike.
constexpr BootClock::duration certain_life(std::chrono::milliseconds timeout) {
    return BootClock::duration{timeout} * 23 / 24;
}

/// The same for a new session. Until more is known this is what a holder goes by, and a twelfth of T that docent lock allows
/// its command for an orderly end must fit into it too.
constexpr BootClock::duration certain_life_when_new(std::chrono::milliseconds timeout) {
    return certain_life(timeout) - BootClock::duration{timeout} / 12;
}

/// The same for a session that a server has taken again: its leader may have lost its quorum, and not have noticed yet.
constexpr BootClock::duration certain_life_on_return(std::chrono::milliseconds timeout) {
    return BootClock::duration{timeout} * 5 / 8;
}

/// How often a `sync` is sent while leases are held, so that certainty reaches 7/12 T further than the last answered one.
constexpr std::chrono::milliseconds frequent_heartbeats(std::chrono::milliseconds timeout) {
    return timeout / 16;
}

/// And while none are: certainty, from which a lease starts, reaches 11/24 T further.
constexpr std::chrono::milliseconds idle_heartbeats(std::chrono::milliseconds timeout) {
    return timeout / 6;
}

/// Until when the leader cannot have ended our session, by what was answered so far. Pure.
///
/// The leader does not see our requests: a follower tells it who was there when it answers a ping, which comes every half tick.
/// But what passes between the two arrives in order. So, if A was answered a ping gap before B was sent, B before C was sent,
/// and C is answered, B and C by the leader: its last ping before the answer to B came after A; the follower has answered
/// that ping, naming us, before it sent on C; and so the leader has heard of us since A was sent.
class Certainty {
public:
    using Time = BootClock::time_point;

    /// A server has made a session for us, by a quorum: its clock was started after `started`.
    Time on_new_session(Time started, Time now, std::chrono::milliseconds timeout);
    /// A server has taken our session again.
    Time on_return(Time started, Time now, std::chrono::milliseconds timeout);
    /// A request that was sent at `sent` has been answered now; `by_leader`: it has passed the leader.
    Time on_answer(Time sent, Time now, bool by_leader);

private:
    struct Answered {
        Time sent;
        Time answered;
    };
    struct Passed {
        Time answered;
        Time proves; // once a later one is answered: what was sent then is known to the leader
    };

    void begin(Time started, Time now, std::chrono::milliseconds timeout);
    void remember(Time sent, Time now);

    std::chrono::milliseconds timeout_{};
    Time until_{};
    Time old_enough_{};             // when the last request was sent that was answered a ping gap before the last B
    std::deque<Answered> answered_; // As, on this connection; not each of them
    std::deque<Passed> passed_;     // Bs
};

} // namespace docent::session
