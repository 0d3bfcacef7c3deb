// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/session_clock.hpp"

#include <docent/recipes/lease.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

namespace docent::detail {

/// The clock that leases are judged by; called from any thread.
using BootNow = std::function<session::BootClock::time_point()>;

/// Whether a lock is still held, or how that ended, and until when it may be at most. All in one word: of an end and an
/// extension that meet, one comes first, and the other one sees it. From any thread; reads no clock.
class Hold {
public:
    using Time = session::BootClock::time_point;
    using Clock = session::BootClock;

    static constexpr Time for_ever = Time::max();
    /// `length` after `now`; for ever, if that is more than anybody waits for.
    static Time end_after(Time now, std::chrono::milliseconds length) noexcept;

    explicit Hold(Time until) noexcept : word_(until.time_since_epoch().count()) {}

    /// `held`, or how it has ended: `lost`, `expired` or `released`.
    LeaseState state() const noexcept;
    /// Nothing if it has ended.
    std::optional<Time> until() const noexcept;

    /// Ends it, unless it has ended. What until() was, for the one who ends it.
    std::optional<Time> end(LeaseState how) noexcept;
    /// Ends it if its time is up. True for the one who does.
    bool expire(Time now) noexcept;
    /// It may be held until then, if that is later than before. False if it has ended, or its time is up.
    bool extend(Time now, Time until) noexcept;

private:
    // From zero on, until when it is held; below, how it has ended.
    using Word = Clock::rep;
    static constexpr Word word_of(LeaseState how) noexcept { return -1 - static_cast<Word>(how); }
    static constexpr bool is_held(Word word) noexcept { return word >= 0; }
    static constexpr bool is_up(Word word, Time now) noexcept { return word <= now.time_since_epoch().count(); }

    std::atomic<Word> word_;
};

} // namespace docent::detail
