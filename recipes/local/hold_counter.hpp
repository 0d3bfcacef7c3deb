// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "local/shared_by_threads.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace docent::detail {

/// Counts the holds of this process in a node: those inside and those that ever entered. One object serves one node after
/// another. Says whether a further hold may enter without the queue's mutex. An entry and a close have an order: the later one
/// sees the earlier one.
///
/// With one hold at a time, the state is one word, and a hold that enters has seen all writes of the holds that left before.
/// With several holds together, each thread counts itself in a word that few other threads write, and then looks whether the
/// node is open. The closing thread closes first and counts then. So a hold that enters at that moment may be too late, and is
/// counted as inside for a moment.
class HoldCounter {
public:
    enum class Rule { one_at_a_time, together };
    explicit HoldCounter(Rule rule) : counters_(rule == Rule::together ? new Counter[counter_count] : nullptr) {}

    /// A hold that is inside.
    struct Entry {
        std::uint64_t number;  ///< unique in this node
        std::uint32_t counter; ///< where it was counted; 0: in `word_`, by admit() or with one hold at a time
        bool in_time = true;   ///< if false, the node was closed or full: the hold must leave at once
    };

    // ---- from any thread

    /// Enters if the node is open (and, with one hold at a time, empty).
    std::optional<Entry> enter() {
        if (!counters_) return enter_alone();
        if (!open()) return std::nullopt;
        Entry entry = count_in();
        check_in_time(entry);
        return entry;
    }
    // The two steps of an entry with several holds together. As in Dekker's algorithm, the entering and the closing thread each
    // write their own word and then read the other's, and all threads agree on one order (memory_order_seq_cst).
    Entry count_in() {
        const auto counter = static_cast<std::uint32_t>(kind_of_this_thread() + 1);
        return entry_of(counters_[counter - 1].word.fetch_add(one_more), counter); // pairs with inside() of the closing thread
    }
    void check_in_time(Entry& entry) const noexcept {
        // After count_in(): pairs with set_open(false), after which the closing thread counts.
        entry.in_time = open() && inside_in(counters_[entry.counter - 1].word.load()) < max_inside / 2;
    }

    /// The state that a hold leaves.
    enum class Left { open, closed };
    /// Leaves. If the node is closed, the caller must decide what follows: see LocalQueue::leave_closed().
    Left leave(const Entry& entry) noexcept {
        if (entry.counter == 0) return is_open(word_.fetch_sub(one_inside)) ? Left::open : Left::closed;
        counters_[entry.counter - 1].word.fetch_sub(one_inside); // pairs with inside(), as in count_in()
        return open() ? Left::open : Left::closed;               // pairs with set_open(false), as in check_in_time()
    }

    /// The holds that are inside. While the node is closed, this includes holds that came too late and have not left yet.
    std::uint64_t inside() const noexcept { return sum(inside_in); }
    /// The holds that ever entered, including those that came too late.
    std::uint64_t entered() const noexcept { return sum(entered_in); }
    bool open() const noexcept { return is_open(word_.load()); }

    // ---- one thread at a time

    /// Admits a hold, whether the node is open or not.
    Entry admit() noexcept { return entry_of(word_.fetch_add(one_more), 0); }
    /// The next hold to be admitted gets number 1. Call it only while the node is closed and empty.
    void begin_numbers() noexcept { number_base_ = entered_in(word_.load()) * word_count(); }
    void set_open(bool open) noexcept {
        if (open) word_.fetch_or(open_bit);
        else word_.fetch_and(~open_bit); // before inside(): pairs with check_in_time() and leave()
    }

private:
    // From the lowest bit: open; 20 bits for the holds inside; 43 bits for those that ever entered, which is enough for
    // millions a second over weeks, and then starts again. check_in_time() refuses above half of the room inside: threads with
    // the same counter may enter at the same moment before they check.
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
        Word word = word_.load();
        while (is_open(word) && inside_in(word) == 0) {
            if (word_.compare_exchange_weak(word, word + one_more)) return entry_of(word, 0);
        }
        return std::nullopt;
    }

    std::uint64_t word_count() const noexcept { return counters_ ? counter_count + 1 : 1; }
    /// A counter gives numbers that are word_count() apart, so no two counters give the same number.
    Entry entry_of(Word before, std::uint32_t counter) const noexcept {
        // An entry in counters_ reads no base: if it is late, its thread may run beside begin_numbers().
        const std::uint64_t base = counter == 0 ? number_base_ : 0;
        return {.number = entered_in(before) * word_count() + counter + 1 - base, .counter = counter};
    }

    template <typename Part> std::uint64_t sum(Part part) const noexcept {
        std::uint64_t all = part(word_.load());
        if (counters_) {
            std::for_each(&counters_[0], &counters_[counter_count],
                          [&](const Counter& each) { all += part(each.word.load()); });
        }
        return all;
    }

    struct alignas(apart) Counter {
        std::atomic<Word> word{0};
    };

    static constexpr std::size_t counter_count = kinds_of_threads;
    std::atomic<Word> word_{0};
    std::uint64_t number_base_ = 0;             // subtracted from the numbers of word_: each node begins with 1
    const std::unique_ptr<Counter[]> counters_; // in addition to word_, with several holds together
};

} // namespace docent::detail
