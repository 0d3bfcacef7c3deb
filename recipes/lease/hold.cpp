// SPDX-License-Identifier: Apache-2.0
#include "lease/hold.hpp"

#include <docent/detail/deadline.hpp>

namespace docent::detail {

Hold::Time Hold::end_after(Time now, std::chrono::milliseconds length) noexcept {
    return length >= horizon ? for_ever : now + length;
}

LeaseState Hold::state() const noexcept {
    const Word word = word_.load(std::memory_order_acquire);
    return is_held(word) ? LeaseState::held : static_cast<LeaseState>(-1 - word);
}

std::optional<Hold::Time> Hold::until() const noexcept {
    const Word word = word_.load(std::memory_order_acquire);
    return is_held(word) ? std::optional(Time{Clock::duration{word}}) : std::nullopt;
}

std::optional<Hold::Time> Hold::end(LeaseState how) noexcept {
    Word word = word_.load(std::memory_order_acquire);
    while (is_held(word)) {
        if (word_.compare_exchange_weak(word, word_of(how), std::memory_order_acq_rel, std::memory_order_acquire)) {
            return Time{Clock::duration{word}};
        }
    }
    return std::nullopt;
}

bool Hold::expire(Time now) noexcept {
    Word word = word_.load(std::memory_order_acquire);
    while (is_held(word) && is_up(word, now)) { // another thread may extend it meanwhile
        if (word_.compare_exchange_weak(word, word_of(LeaseState::expired), std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
            return true;
        }
    }
    return false;
}

bool Hold::extend(Time now, Time until) noexcept {
    const Word wanted = until.time_since_epoch().count();
    Word word = word_.load(std::memory_order_acquire);
    while (is_held(word) && !is_up(word, now)) {
        if (word >= wanted) return true;
        if (word_.compare_exchange_weak(word, wanted, std::memory_order_acq_rel, std::memory_order_acquire)) return true;
    }
    return false;
}

} // namespace docent::detail
