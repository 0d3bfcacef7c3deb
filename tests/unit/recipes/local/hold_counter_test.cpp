// SPDX-License-Identifier: Apache-2.0
#include "local/hold_counter.hpp"

#include "in_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace docent::detail {
namespace {

using Rule = HoldCounter::Rule;
using Left = HoldCounter::Left;

class HoldCounterOf : public testing::TestWithParam<Rule> {};
INSTANTIATE_TEST_SUITE_P(EachRule, HoldCounterOf, testing::Values(Rule::one_at_a_time, Rule::together));

TEST_P(HoldCounterOf, AClosedNodeAdmitsNoHold) {
    HoldCounter node{GetParam()};
    EXPECT_FALSE(node.enter());
    const auto entry = node.admit();
    EXPECT_EQ(entry.number, 1U) << "but whoever is let in";
    EXPECT_EQ(node.leave(entry), Left::closed);
    EXPECT_EQ(node.inside(), 0U);
}

TEST(HoldCounterTest, OneAtATime) {
    HoldCounter node{Rule::one_at_a_time};
    node.set_open(true);
    const auto first = node.enter();
    ASSERT_TRUE(first);
    EXPECT_FALSE(node.enter());
    EXPECT_EQ(node.leave(*first), Left::open);
    const auto second = node.enter();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->number, 2U);
    node.set_open(false);
    EXPECT_EQ(node.leave(*second), Left::closed);
    EXPECT_EQ(node.entered(), 2U);
}

TEST(HoldCounterTest, TogetherEachHasANumberOfItsOwnAndMayLeaveFromAnyThread) {
    constexpr int many = 20;
    HoldCounter node{Rule::together};
    std::vector<HoldCounter::Entry> entries{node.admit()};
    node.set_open(true);
    std::mutex mutex;
    test::in_threads(many, [&](int) {
        for (int turn = 0; turn < 3; ++turn) {
            const auto entry = node.enter().value();
            const std::lock_guard lock(mutex);
            entries.push_back(entry);
            entries.push_back(node.admit());
        }
    });
    std::set<std::uint64_t> numbers;
    std::set<std::uint32_t> counters;
    for (const auto& entry : entries) {
        EXPECT_TRUE(entry.in_time);
        numbers.insert(entry.number);
        counters.insert(entry.counter);
    }
    EXPECT_EQ(numbers.size(), entries.size());
    EXPECT_EQ(counters.size(), 1 + kinds_of_threads);
    EXPECT_EQ(node.inside(), entries.size());
    EXPECT_EQ(node.entered(), entries.size());
    node.set_open(false);
    for (const auto& entry : entries) EXPECT_EQ(node.leave(entry), Left::closed);
    EXPECT_EQ(node.inside(), 0U);
}

/// A HoldCounter serves one node after another. The count of an earlier node has no effect.
TEST_P(HoldCounterOf, TheFirstOfEachNodeIsNumberOne) {
    HoldCounter node{GetParam()};
    for (int nodes = 0; nodes < 3; ++nodes) {
        node.begin_numbers();
        const auto first = node.admit();
        EXPECT_EQ(first.number, 1U);
        node.leave(first);
        node.set_open(true);
        const auto next = node.enter();
        ASSERT_TRUE(next);
        EXPECT_GT(next->number, 1U);
        node.leave(*next);
        node.set_open(false);
    }
}

TEST(HoldCounterTest, AnEntryDuringTheCloseIsTooLateAndCounted) {
    HoldCounter node{Rule::together};
    node.set_open(true);
    auto entry = node.count_in();
    node.set_open(false);
    EXPECT_EQ(node.inside(), 1U);
    node.check_in_time(entry);
    EXPECT_FALSE(entry.in_time);
    EXPECT_EQ(node.leave(entry), Left::closed);
    EXPECT_EQ(node.inside(), 0U);
}

TEST(HoldCounterTest, AnEntryCheckedAfterTheOpeningIsInTime) {
    HoldCounter node{Rule::together};
    node.set_open(true);
    auto entry = node.count_in();
    node.set_open(false);
    node.set_open(true);
    node.check_in_time(entry);
    EXPECT_TRUE(entry.in_time);
    EXPECT_EQ(node.leave(entry), Left::open);
}

TEST(HoldCounterTest, AnEntryIntoAFullNodeMustLeave) {
    HoldCounter node{Rule::together};
    node.set_open(true);
    std::uint64_t inside = 0;
    auto entry = node.enter();
    for (; entry && entry->in_time && inside < 10'000'000; entry = node.enter()) ++inside;
    ASSERT_TRUE(entry && !entry->in_time);
    EXPECT_EQ(node.leave(*entry), Left::open);
    EXPECT_EQ(node.inside(), inside);
    EXPECT_GT(inside, 500'000U);
}

/// Three threads that enter the node whenever it is open. The thread of the test closes it now and then.
class EnteringThreads {
public:
    EnteringThreads(HoldCounter& node, const std::function<void()>& body) {
        for (int i = 0; i < 3; ++i) {
            threads_.emplace_back([this, &node, body] {
                while (!ended_) {
                    const auto in = node.enter();
                    if (!in) continue;
                    if (in->in_time) body();
                    node.leave(*in);
                    ++entries_;
                }
            });
        }
    }
    ~EnteringThreads() {
        ended_ = true;
        for (auto& thread : threads_) thread.join();
    }
    EnteringThreads(const EnteringThreads&) = delete;
    EnteringThreads& operator=(const EnteringThreads&) = delete;

    /// Returns true after many entries. Before, the threads may not run yet, and then the test proves nothing.
    bool are_many() const { return entries_ > 1000; }

private:
    std::atomic<std::uint64_t> entries_{0};
    std::atomic<bool> ended_{false};
    std::vector<std::thread> threads_;
};

/// No thread is inside together with the closing thread, and no thread enters between the look at a closed, empty node and its
/// opening.
TEST(HoldCounterTest, NoEntryWhileItIsClosed) {
    HoldCounter node{Rule::one_at_a_time};
    std::atomic<int> holders{0};
    std::atomic<bool> met{false};
    const auto hold = [&] {
        if (++holders != 1) met = true;
        --holders;
    };
    {
        const EnteringThreads threads(node, hold);
        for (int closed_empty = 0; closed_empty < 2000 || !threads.are_many();) {
            node.set_open(false);
            if (node.inside() == 0) {
                hold();
                ++closed_empty;
            }
            node.set_open(true);
        }
    }
    EXPECT_FALSE(met);
    EXPECT_EQ(node.inside(), 0U);
}

/// While the node is closed and empty, no thread that entered in time is inside.
TEST(HoldCounterTest, TheClosingThreadSeesEachEntryInTime) {
    HoldCounter node{Rule::together};
    std::atomic<int> readers{0};
    std::atomic<bool> writes{false};
    std::atomic<bool> met{false};
    {
        const EnteringThreads threads(node, [&] {
            ++readers;
            if (writes) met = true;
            --readers;
        });
        for (int closed = 0; closed < 30000 || !threads.are_many(); ++closed) {
            node.set_open(false);
            while (node.inside() > 0) std::this_thread::yield();
            writes = true;
            for (int looks = 0; looks < 20; ++looks) {
                if (readers != 0) met = true;
            }
            writes = false;
            node.set_open(true);
        }
    }
    EXPECT_FALSE(met);
    EXPECT_EQ(node.inside(), 0U);
}

} // namespace
} // namespace docent::detail
