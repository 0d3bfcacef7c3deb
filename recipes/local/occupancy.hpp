// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace docent::detail {

/// How many holds of this process are in one node, how many have ever been, and whether one more may come in without asking
/// anybody: all in one word, so that of somebody who comes in and somebody who closes it, one is first and the other one sees
/// that. A hold that comes in has seen what the holds did that left before.
class Occupancy {
public:
    enum class Rule { one_at_a_time, together };

    // ---- from any thread

    /// Comes in, if it is open, and empty where holds take turns. Which of the node's holds that is, counted from 1.
    std::optional<std::uint64_t> enter(Rule rule) noexcept {
        Word word = word_.load(std::memory_order_relaxed);
        while (is_open(word) && (rule == Rule::together || inside_in(word) == 0) && has_room(word)) {
            if (word_.compare_exchange_weak(word, word + one_more, std::memory_order_acq_rel, std::memory_order_relaxed)) {
                return entered_in(word) + 1;
            }
        }
        return std::nullopt;
    }

    /// What a hold leaves behind.
    enum class Left { open, closed };
    /// Goes out. Where it is left closed, somebody may have to be let in, or the node given back.
    Left leave() noexcept {
        return is_open(word_.fetch_sub(one_inside, std::memory_order_acq_rel)) ? Left::open : Left::closed;
    }

    std::uint64_t inside() const noexcept { return inside_in(word_.load(std::memory_order_acquire)); }
    std::uint64_t entered() const noexcept { return entered_in(word_.load(std::memory_order_acquire)); }
    bool open() const noexcept { return is_open(word_.load(std::memory_order_acquire)); }

    // ---- one thread at a time

    /// Lets one in, open or not.
    std::uint64_t admit() noexcept { return entered_in(word_.fetch_add(one_more, std::memory_order_acq_rel)) + 1; }
    void set_open(bool open) noexcept {
        if (open) word_.fetch_or(open_bit, std::memory_order_acq_rel);
        else word_.fetch_and(~open_bit, std::memory_order_acq_rel);
    }

private:
    // From below: whether it is open; 20 bits of holds that are inside; 43 of those that ever were, enough for millions a
    // second over weeks. A node whose counts are full lets nobody in without asking, and is given back then.
    using Word = std::uint64_t;
    static constexpr Word open_bit = 1;
    static constexpr int inside_bits = 20;
    static constexpr Word one_inside = 2;
    static constexpr Word one_entered = one_inside << inside_bits;
    static constexpr Word one_more = one_inside + one_entered;
    static constexpr Word max_inside = (Word{1} << inside_bits) - 1;
    static constexpr Word max_entered = ~Word{0} / one_entered;

    static constexpr bool is_open(Word word) noexcept { return (word & open_bit) != 0; }
    static constexpr Word inside_in(Word word) noexcept { return (word / one_inside) & max_inside; }
    static constexpr Word entered_in(Word word) noexcept { return word / one_entered; }
    static constexpr bool has_room(Word word) noexcept {
        return inside_in(word) < max_inside / 2 && entered_in(word) < max_entered / 2; // the rest is for admit()
    }

    std::atomic<Word> word_{0};
};

} // namespace docent::detail
