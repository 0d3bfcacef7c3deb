// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/thread_kind.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace docent::detail {

/// How many holds of this process are in one node, how many have ever been, and whether one more may come in without asking
/// anybody. Of somebody who comes in and somebody who closes it, one is first and the other one sees that.
///
/// Where holds take turns, all that is one word, and a hold that comes in has seen what the holds did that left before. Where
/// they are inside together, threads count themselves in words that few others write to, and only then look whether it is
/// open; who closes it does so first, and counts then. So who comes at that moment may find that it is too late, and has been
/// counted for a moment, as one who is inside.
class HoldCounter {
public:
    enum class Rule { one_at_a_time, together };
    explicit HoldCounter(Rule rule) : counters_(rule == Rule::together ? new Counter[several] : nullptr) {}

    /// Of one who is inside.
    struct Entry {
        std::uint64_t number;  ///< no other one in this node has that
        std::uint32_t counter; ///< where it was counted; 0: where those are who are let in, and all that take turns
        bool in_time = true;   ///< else it is closed, or full: whoever came has to leave, and that is all
    };

    // ---- from any thread

    /// Comes in, if it is open, and empty where holds take turns.
    std::optional<Entry> enter() {
        if (!counters_) return enter_alone();
        if (!is_open(word_.load(std::memory_order_relaxed))) return std::nullopt;
        Entry entry = count_in();
        look(entry);
        return entry;
    }
    // The steps of those who are inside together. As Dekker's algorithm has it: whoever comes and whoever closes each write
    // their own word, then read the other one's, and all agree on one order.
    Entry count_in() {
        const auto counter = static_cast<std::uint32_t>(kind_of_this_thread() + 1);
        return entry_of(counters_[counter - 1].word.fetch_add(one_more), counter);
    }
    void look(Entry& entry) const noexcept {
        entry.in_time = open() && inside_in(counters_[entry.counter - 1].word.load()) < max_inside / 2;
    }

    /// What a hold leaves behind.
    enum class Left { open, closed };
    /// Goes out. Where it is left closed, somebody may have to be let in, or the node given back.
    Left leave(const Entry& entry) noexcept {
        if (entry.counter == 0) return is_open(word_.fetch_sub(one_inside)) ? Left::open : Left::closed;
        counters_[entry.counter - 1].word.fetch_sub(one_inside);
        return open() ? Left::open : Left::closed;
    }

    /// Where it is closed: all who came in before that and have not left, and who has come too late and not left yet.
    std::uint64_t inside() const noexcept { return sum(inside_in); }
    /// Also too late.
    std::uint64_t entered() const noexcept { return sum(entered_in); }
    bool open() const noexcept { return is_open(word_.load()); }

    // ---- one thread at a time

    /// Lets one in, open or not.
    Entry admit() noexcept { return entry_of(word_.fetch_add(one_more), 0); }
    /// Whoever is let in next is number 1. Only while nobody is inside, and it is closed.
    void begin_numbers() noexcept { last_number_ = entered_in(word_.load()) * counts(); }
    void set_open(bool open) noexcept {
        if (open) word_.fetch_or(open_bit);
        else word_.fetch_and(~open_bit);
    }

private:
    // From below: whether it is open; 20 bits of holds that are inside; 43 of those that ever were, enough for millions a
    // second over weeks, which then begin anew. Half of those inside are kept for admit().
    using Word = std::uint64_t;
    static constexpr Word open_bit = 1;
    static constexpr int inside_bits = 20;
    static constexpr Word one_inside = 2;
    static constexpr Word one_entered = one_inside << inside_bits;
    static constexpr Word one_more = one_inside + one_entered;
    static constexpr Word max_inside = (Word{1} << inside_bits) - 1;

    static constexpr bool is_open(Word word) noexcept { return (word & open_bit) != 0; }
    static constexpr Word inside_in(Word word) noexcept { return (word / one_inside) & max_inside; }
    static constexpr Word entered_in(Word word) noexcept { return word / one_entered; }

    std::optional<Entry> enter_alone() noexcept {
        Word word = word_.load(std::memory_order_relaxed);
        while (is_open(word) && inside_in(word) == 0) {
            if (word_.compare_exchange_weak(word, word + one_more)) return entry_of(word, 0);
        }
        return std::nullopt;
    }

    std::uint64_t counts() const noexcept { return counters_ ? several + 1 : 1; }
    /// Numbers of one counter are a multiple apart, so that those of no two are the same, whatever they begin with.
    Entry entry_of(Word before, std::uint32_t counter) const noexcept {
        const std::uint64_t last = counter == 0 ? last_number_ : 0;
        return {.number = entered_in(before) * counts() + counter + 1 - last, .counter = counter};
    }

    template <typename Part> std::uint64_t sum(Part part) const noexcept {
        std::uint64_t all = part(word_.load());
        if (counters_) {
            std::for_each(&counters_[0], &counters_[several], [&](const Counter& each) { all += part(each.word.load()); });
        }
        return all;
    }

    struct alignas(apart) Counter {
        std::atomic<Word> word{0};
    };

    static constexpr std::size_t several = kinds_of_threads;
    std::atomic<Word> word_{0};
    std::uint64_t last_number_ = 0;             // of those counted in word_, before the present node
    const std::unique_ptr<Counter[]> counters_; // beside that of word_, where holds are inside together
};

} // namespace docent::detail
