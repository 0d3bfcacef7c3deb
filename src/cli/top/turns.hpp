// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many turns there were at a lock, from lists that were read now and then. Pure.

#include <docent/client.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace docent::cli {

/// What one list of a queue tells of turns.
struct QueueMark {
    std::int64_t czxid = 0;        // of the parent: another one begins to count anew
    std::int32_t cversion = 0;     // children made and removed since then
    std::int32_t children = 0;     // that there are
    std::string first_holder = {}; // its node; empty if nobody holds
    bool shared = false;           // others may hold beside the first
};

/// How many have had their turn, and left, between two lists of the same queue. A server counts what was made and removed, so
/// none is missed between two looks. While one holds alone nobody else has had a turn: who has left meanwhile gave up. Where
/// the holder has changed, those who gave up count too.
std::uint32_t turns_between(const QueueMark& before, const QueueMark& after);

/// Turns in the last minute.
class TurnRate {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// From now on, turns are known.
    explicit TurnRate(Time start) : start_(start) {}

    void add(Time now, std::uint32_t turns);
    /// Of the last minute; in the first one, of the time so far, scaled up. Nothing before five seconds have passed.
    std::optional<double> per_minute(Time now) const;

private:
    struct Entry {
        Time time;
        std::uint32_t turns;
    };
    Time start_;
    std::deque<Entry> entries_; // of a minute, and a little more
};

} // namespace docent::cli
