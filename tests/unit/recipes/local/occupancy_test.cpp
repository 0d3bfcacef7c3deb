// SPDX-License-Identifier: Apache-2.0
#include "local/occupancy.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace docent::detail {
namespace {

using Rule = Occupancy::Rule;
using Left = Occupancy::Left;

TEST(OccupancyTest, NobodyComesIntoWhatIsClosed) {
    Occupancy node;
    EXPECT_FALSE(node.enter(Rule::together));
    EXPECT_EQ(node.admit(), 1U) << "but whoever is let in";
    EXPECT_EQ(node.leave(), Left::closed);
    EXPECT_EQ(node.inside(), 0U);
}

TEST(OccupancyTest, OneAtATimeOrTogether) {
    Occupancy node;
    node.set_open(true);
    EXPECT_EQ(node.enter(Rule::one_at_a_time), 1U);
    EXPECT_FALSE(node.enter(Rule::one_at_a_time));
    EXPECT_EQ(node.enter(Rule::together), 2U);
    EXPECT_EQ(node.inside(), 2U);
    EXPECT_EQ(node.leave(), Left::open);
    node.set_open(false);
    EXPECT_EQ(node.leave(), Left::closed);
    EXPECT_EQ(node.entered(), 2U);
}

/// Threads that take turns, and one that closes it now and then: nobody is inside with another one, and nobody comes in between
/// a look at a closed node that is empty and its opening.
TEST(OccupancyTest, NobodyComesInWhileItIsClosed) {
    Occupancy node;
    std::atomic<int> holders{0};
    std::atomic<bool> met{false};
    std::atomic<bool> ended{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            while (!ended) {
                if (!node.enter(Rule::one_at_a_time)) continue;
                if (++holders != 1) met = true;
                --holders;
                node.leave();
            }
        });
    }
    for (int closed_empty = 0; closed_empty < 2000;) {
        node.set_open(false);
        if (node.inside() == 0) {
            if (++holders != 1) met = true;
            --holders;
            ++closed_empty;
        }
        node.set_open(true);
    }
    ended = true;
    for (auto& thread : threads) thread.join();
    EXPECT_FALSE(met);
    EXPECT_EQ(node.inside(), 0U);
}

} // namespace
} // namespace docent::detail
