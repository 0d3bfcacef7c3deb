// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"

#include <docent/heartbeats.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <utility>

namespace docent::zk {

/// The longest pause before a client connects again. A relaxed client still has T/10 of its certain time then: T/10 is less
/// than half of 5/24 T.
constexpr std::chrono::milliseconds longest_connect_pause(std::chrono::milliseconds session_timeout, Heartbeats heartbeats) {
    using std::chrono::milliseconds;
    return heartbeats == Heartbeats::relaxed ? session_timeout / 10 : std::min(session_timeout / 30, milliseconds{1'000});
}

/// Random pauses before attempts to connect, so that the clients of a server that has gone do not come back in one wave. Pure.
///
/// A client pauses after a server has closed its connection, and after it has tried all servers in vain. Between the servers of
/// one round it does not pause. The pause replaces the pause of the C client, which has the same length for all clients.
class ConnectPause {
public:
    using Time = BootClock::time_point;

    ConnectPause() = default;
    /// `seed`: another one for each client.
    ConnectPause(std::chrono::milliseconds session_timeout, Heartbeats heartbeats, std::uint64_t seed)
        : heartbeats_(heartbeats), longest_(longest_connect_pause(session_timeout, heartbeats)),
          random_(static_cast<std::minstd_rand::result_type>(seed ^ (seed >> 32U))) {
        random_.discard(1); // the first numbers of neighbouring seeds are alike
    }

    /// The client begins. Relaxed clients are many, and may all begin at once.
    void on_open(Time now) {
        if (heartbeats_ == Heartbeats::relaxed) pause(now);
    }
    /// The connection has ended.
    void on_lost(Time now) {
        if (!std::exchange(round_may_begin_, true)) pause(now);
    }
    /// The client is about to leave a silent server. Its bound passes soon, so no pause follows. Other clients leave at other
    /// times, because their heartbeats do not come together.
    void on_left() { round_may_begin_ = true; }
    void on_attempt() { round_may_begin_ = false; }
    /// All servers have been tried.
    void on_round_over(Time now) {
        if (!std::exchange(round_may_begin_, false)) pause(now);
    }

    /// The time until the next attempt may begin.
    std::chrono::milliseconds left(Time now) const {
        return std::max(std::chrono::ceil<std::chrono::milliseconds>(until_ - now), std::chrono::milliseconds{0});
    }

private:
    void pause(Time now) {
        const std::uniform_int_distribution<std::int64_t>::param_type range(0, longest_.count());
        until_ = now + std::chrono::milliseconds{std::uniform_int_distribution<std::int64_t>{}(random_, range)};
    }

    Heartbeats heartbeats_ = Heartbeats::frequent;
    std::chrono::milliseconds longest_{};
    std::minstd_rand random_;
    Time until_{};
    bool round_may_begin_ = false; // the pause before the next round is over, or is left out
};

} // namespace docent::zk
