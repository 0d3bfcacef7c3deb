// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "posix/process_mark.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>

namespace docent::session {

using zk::BootClock;

// docs/proof.md has the rule, its proof and its assumptions. All durations are fractions of the session timeout T.

/// The longest time between two pings of the leader: half a tick (T/4 at most), and T/24 for a late ping.
constexpr BootClock::duration longest_ping_gap(std::chrono::milliseconds timeout) {
    return BootClock::duration{timeout} * 7 / 24;
}

/// The shortest life of a session, by the client's clock, after its leader has heard of it: T, less T/24 for clocks of
/// different speed.
constexpr BootClock::duration certain_life(std::chrono::milliseconds timeout) {
    return BootClock::duration{timeout} * 23 / 24;
}

/// The first bound of a new session, after the attempt to connect began. A holder relies on it until the first heartbeats are
/// answered. It leaves T/12 for `docent lock` to end its CMD.
constexpr BootClock::duration certain_life_when_new(std::chrono::milliseconds timeout) {
    return certain_life(timeout) - BootClock::duration{timeout} / 12;
}

/// An answer never moves the bound further than this after its request was sent, whatever the answer proves. A session that a
/// server accepts again gets at least this bound. The reason: a leader may have lost its quorum without noticing it yet.
constexpr BootClock::duration certain_life_with_a_leader(std::chrono::milliseconds timeout) {
    return BootClock::duration{timeout} * 5 / 8;
}

/// The time between two `sync` requests while leases are held. The bound is then 7/12 T after the last answered `sync`.
constexpr std::chrono::milliseconds frequent_heartbeats(std::chrono::milliseconds timeout) {
    return timeout / 16;
}

/// The time between two `sync` requests while no lease is held. The bound is then 11/24 T after the last answered `sync`. A new
/// lease starts with this bound.
constexpr std::chrono::milliseconds idle_heartbeats(std::chrono::milliseconds timeout) {
    return timeout / 6;
}

/// The time before the next heartbeat of a relaxed client that has sent `sent` of them on this connection. The bound is then
/// 19/48 T after the last answered `sync`. The second and the third heartbeat come early, so that the bound rests on them
/// before certain_life_with_a_leader() is over.
constexpr std::chrono::milliseconds relaxed_heartbeats(std::chrono::milliseconds timeout, int sent) {
    return timeout * (sent < 3 ? 3 - sent : 3) / 16;
}

/// The validity bound: the time before which the leader cannot have ended the client's session. Pure.
///
/// The leader does not see the client's requests. Every half tick it pings its followers, and a follower's answer names the
/// sessions that it has heard from. Messages between leader and follower arrive in order. Take three requests A, B and C.
/// A is answered at least one ping gap before B is sent. B is answered before C is sent. The leader takes part in the answers
/// to B and C. When C is answered, the leader has heard of the session since A was sent: its last ping before the answer to B
/// came after A, and the follower answered that ping, naming the session, before it passed on C.
class ValidityBound {
public:
    using Time = BootClock::time_point;

    /// A quorum has created the session after `started`.
    Time on_new_session(Time started, Time now, std::chrono::milliseconds timeout);
    /// A server has accepted the session again.
    Time on_return(Time started, Time now, std::chrono::milliseconds timeout);
    /// The request of `sent` was answered at `now`. `by_leader`: the request has passed the leader.
    Time on_answer(Time sent, Time now, bool by_leader);

private:
    struct Answered {
        Time sent;
        Time answered;
    };
    struct Passed {
        Time answered;
        Time proves; // when a later request is answered, the leader knows of the session since this time
    };

    void begin(Time started, Time now, std::chrono::milliseconds timeout);
    void remember(Time sent, Time now);

    std::chrono::milliseconds timeout_{};
    Time until_{};
    Time old_enough_{};             // when the A of the last B was sent
    std::deque<Answered> answered_; // candidates for A on this connection, thinned out
    std::deque<Passed> passed_;     // candidates for B
};

/// The validity bound of one session (see ValidityBound). The client's strand writes it; leases read it from any thread. In a
/// child of the client's process, nothing is valid.
class ValidityClock {
public:
    explicit ValidityClock(std::uint64_t epoch) : epoch_(epoch) {}

    std::uint64_t epoch() const noexcept { return epoch_; }

    /// Moves the bound forward, never back. A session that has ended stays ended.
    void extend(BootClock::time_point until) noexcept {
        const auto ticks = until.time_since_epoch().count();
        auto old = until_.load();
        while (old < ticks && !until_.compare_exchange_weak(old, ticks)) {
        }
    }
    void end() noexcept { ended_ = true; }
    void set_suspended(bool suspended) noexcept { suspended_ = suspended; }

    BootClock::time_point valid_until() const noexcept { return BootClock::time_point{BootClock::duration{until_.load()}}; }
    bool ended() const noexcept { return ended_; }
    bool suspended() const noexcept { return suspended_; }
    bool valid_at(BootClock::time_point now) const noexcept { return !ended() && now < valid_until() && process_.is_here(); }

private:
    const std::uint64_t epoch_;
    const posix::ProcessMark process_;
    std::atomic<BootClock::rep> until_{0};
    std::atomic<bool> ended_{false};
    std::atomic<bool> suspended_{false};
};

} // namespace docent::session
