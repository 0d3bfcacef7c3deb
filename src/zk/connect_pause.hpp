// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/start_pause.hpp"
#include "posix/boot_clock.hpp"

#include <docent/heartbeats.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>

namespace docent::zk {

/// The longest pause after a round of attempts, until the validity bound has passed. The C client pauses for
/// as long, but without the limit of 1 s.
constexpr std::chrono::milliseconds short_connect_pause(std::chrono::milliseconds session_timeout) {
    return std::min(session_timeout / 60, std::chrono::milliseconds{1'000});
}

/// The longest pause after a connection has ended.
constexpr std::chrono::milliseconds longest_connect_pause(std::chrono::milliseconds session_timeout, Heartbeats heartbeats) {
    return heartbeats == Heartbeats::relaxed ? detail::longest_pause_at_start(session_timeout, heartbeats)
                                             : short_connect_pause(session_timeout);
}

/// The longest pause between two rounds of attempts. Pauses grow to it when no lock can be saved. After an outage the session
/// lives for T, and the client must come back in a small part of that.
constexpr std::chrono::milliseconds longest_round_pause(std::chrono::milliseconds session_timeout, Heartbeats heartbeats) {
    return std::max(longest_connect_pause(session_timeout, heartbeats),
                    std::min(session_timeout / 6, std::chrono::milliseconds{1'000}));
}

/// Random pauses before attempts to connect, so that the clients of a server that has gone do not all connect at once. Pure.
///
/// A client pauses after a server has closed its connection, and after it has tried all servers in vain. Between the servers of
/// one round it does not pause. The pause replaces the pause of the C client, which has the same length for all clients.
///
/// When an outage ends, the client may be in a pause, and so it connects later. Until the validity bound has passed, only
/// the pause after the loss can be long, and it ends long before the bound. The pauses after rounds of attempts are short.
///
/// After the bound, and before the first session, no lock can be saved. Then the pauses after rounds double up to
/// longest_round_pause(). Otherwise a client would connect many times a second to a server that hangs up on it, for example
/// because the port is for TLS, or because a certificate is refused.
class ConnectPause {
public:
    using Time = BootClock::time_point;

    ConnectPause() = default;
    /// `seed`: a different one for each handle.
    ConnectPause(std::chrono::milliseconds session_timeout, Heartbeats heartbeats, std::uint64_t seed)
        : heartbeats_(heartbeats), session_timeout_(session_timeout),
          random_(static_cast<std::minstd_rand::result_type>(seed ^ (seed >> 32U))) {
        random_.discard(1); // the first numbers of neighbouring seeds are alike
    }

    /// The client begins. Relaxed clients are many, and may all begin at once.
    void on_open(Time now) {
        if (heartbeats_ == Heartbeats::relaxed) pause(now, no_time, longest());
    }
    /// `granted`: the server has shortened or prolonged the session timeout.
    void on_connected(std::chrono::milliseconds granted) {
        session_timeout_ = granted;
        round_pause_ = no_time;
    }
    /// The connection has ended.
    void on_lost(Time now) {
        // The bound passes within 7/8 T. The bound of a relaxed client usually passes within 19/48 T (docs/guarantees.md).
        uncertain_from_ = now + (heartbeats_ == Heartbeats::relaxed ? session_timeout_ * 2 / 5 : session_timeout_ * 7 / 8);
        if (!std::exchange(round_may_begin_, true)) pause(now, no_time, longest());
    }
    /// The client is about to leave a silent server. Its bound passes soon, so no pause follows. Other clients leave at other
    /// times, because their heartbeats do not come together.
    void on_left() { round_may_begin_ = true; }
    void on_attempt() { round_may_begin_ = false; }
    /// All servers have been tried.
    void on_round_over(Time now) {
        if (std::exchange(round_may_begin_, false)) return;
        if (now < uncertain_from_) return pause(now, no_time, short_connect_pause(session_timeout_));
        round_pause_ = std::clamp(2 * round_pause_, longest(), longest_round_pause(session_timeout_, heartbeats_));
        pause(now, round_pause_ / 2, round_pause_);
    }

    /// The time until the next attempt may begin.
    std::chrono::milliseconds left(Time now) const {
        return std::max(std::chrono::ceil<std::chrono::milliseconds>(until_ - now), std::chrono::milliseconds{0});
    }

private:
    static constexpr std::chrono::milliseconds no_time{0};

    std::chrono::milliseconds longest() const { return longest_connect_pause(session_timeout_, heartbeats_); }
    void pause(Time now, std::chrono::milliseconds shortest, std::chrono::milliseconds longest) {
        const std::uniform_int_distribution<std::int64_t>::param_type range(shortest.count(), longest.count());
        until_ = now + std::chrono::milliseconds{std::uniform_int_distribution<std::int64_t>{}(random_, range)};
    }

    Heartbeats heartbeats_ = Heartbeats::frequent;
    std::chrono::milliseconds session_timeout_{};
    std::minstd_rand random_;
    Time until_{};
    Time uncertain_from_{};                   // the bound has passed by then; before the first session, a time in the past
    std::chrono::milliseconds round_pause_{}; // the longest pause after the last round; 0 while pauses do not grow
    bool round_may_begin_ = false;            // the pause before the next round is over, or is left out
};

} // namespace docent::zk
