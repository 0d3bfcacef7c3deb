// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/validity_bound.hpp"

#include <docent/detail/deadline.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/lock_options.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

namespace docent::detail {

/// The options of a lock after lease_terms() has checked them. `node_data` is as it is sent, with the owner in it.
using LeaseTerms = LockOptions;

/// The clock of leases. Called from any thread.
using BootNow = std::function<session::BootClock::time_point()>;

/// The state of a hold, and the time until which it may last. One atomic word contains both: if an end and an extension meet,
/// one comes first, and the other sees it. Members may be called from any thread. Reads no clock.
class Hold {
public:
    using Time = session::BootClock::time_point;
    using Clock = session::BootClock;

    static constexpr Time for_ever = Time::max();
    /// `length` after `now`; for ever without a length, or with a length from `horizon` (100 years) on.
    static Time end_after(Time now, std::optional<std::chrono::milliseconds> length) noexcept {
        return !length || *length >= horizon ? for_ever : now + *length;
    }

    explicit Hold(Time until) noexcept : word_(until.time_since_epoch().count()) {}

    /// `held`, or how the hold has ended: `lost`, `expired` or `released`.
    LeaseState state() const noexcept {
        const Word word = word_.load();
        return is_held(word) ? LeaseState::held : static_cast<LeaseState>(-1 - word);
    }
    /// The time until which it may last; nothing if it has ended.
    std::optional<Time> until() const noexcept {
        const Word word = word_.load();
        return is_held(word) ? std::optional(Time{Clock::duration{word}}) : std::nullopt;
    }

    /// Ends the hold. Returns the earlier until() to the call that ends it, and nothing to later calls.
    std::optional<Time> end(LeaseState how) noexcept {
        Word word = word_.load();
        while (is_held(word)) {
            if (replace(word, word_of(how))) return Time{Clock::duration{word}};
        }
        return std::nullopt;
    }
    /// Ends the hold if its time is up. Returns true to the call that ends it.
    bool expire(Time now) noexcept {
        Word word = word_.load();
        while (is_held(word) && is_up(word, now)) { // another thread may extend it meanwhile
            if (replace(word, word_of(LeaseState::expired))) return true;
        }
        return false;
    }
    /// Moves the end to `until`, if that is later. Returns false if the hold has ended or its time is up.
    bool extend(Time now, Time until) noexcept {
        const Word wanted = until.time_since_epoch().count();
        Word word = word_.load();
        while (is_held(word) && !is_up(word, now)) {
            if (word >= wanted || replace(word, wanted)) return true;
        }
        return false;
    }

private:
    // From zero on: the time until which it is held. Below zero: how it has ended.
    using Word = Clock::rep;
    static constexpr Word word_of(LeaseState how) noexcept { return -1 - static_cast<Word>(how); }
    static constexpr bool is_held(Word word) noexcept { return word >= 0; }
    static constexpr bool is_up(Word word, Time now) noexcept { return word <= now.time_since_epoch().count(); }
    /// Returns false, and reads the word again, if another thread has changed it.
    bool replace(Word& seen, Word wanted) noexcept { return word_.compare_exchange_weak(seen, wanted); }

    std::atomic<Word> word_; // an end pairs with need_audience() and keep_node_when_lost(): see LeaseCore
};

} // namespace docent::detail
