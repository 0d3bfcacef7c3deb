// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts the turns at a lock, from lists that are read now and then. Pure.

#include <docent/client.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace docent::cli {

/// The part of a list that counts turns.
struct QueueMark {
    std::int64_t czxid = 0;        // of the parent; a new parent counts from 0
    std::int32_t cversion = 0;     // the number of children created and removed since then
    std::int32_t children = 0;     // the present number of children
    std::string first_holder = {}; // its node; empty without a holder
    bool shared = false;           // several participants may hold at once
};

/// The number of turns that have ended between two lists of the same queue. The server counts created and removed children, so
/// no turn is missed. If the same participant holds alone in both lists, no turn has ended, and the others that left gave up.
/// If the holder has changed, participants that gave up count too.
std::uint32_t turns_between(const QueueMark& before, const QueueMark& after);

/// Turns in the last minute.
class TurnRate {
public:
    using Time = std::chrono::steady_clock::time_point;

    /// Turns are counted from `start` on.
    explicit TurnRate(Time start) : start_(start) {}

    void add(Time now, std::uint32_t turns);
    /// The turns of the last minute. In the first minute, the turns so far, scaled up. Nothing in the first five seconds.
    std::optional<double> per_minute(Time now) const;

private:
    struct Entry {
        Time time;
        std::uint32_t turns;
    };
    Time start_;
    std::deque<Entry> entries_; // of a little more than a minute
};

} // namespace docent::cli
