// SPDX-License-Identifier: Apache-2.0
#include "barrier/double_barrier_rules.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

TEST(DoubleBarrierRules, WaitsUntilEnoughAreThereAndTheLastMakesReady) {
    EXPECT_EQ(next_entering({.own = 7, .members = 2}, 3), EnteringStep(AwaitReady{}));
    EXPECT_EQ(next_entering({.own = 7, .members = 3}, 3), EnteringStep(MakeReady{}));
    EXPECT_EQ(next_entering({.own = 7, .members = 4}, 3), EnteringStep(MakeReady{}));
    EXPECT_EQ(next_entering({.own = 7, .ready = 8, .members = 1}, 3), EnteringStep(GoIn{})) << "others may have left already";
}

TEST(DoubleBarrierRules, WhoComesLaterGoesInOnlyIfSomebodyIsInside) {
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4}, 3), EnteringStep(LookAtOthers{}));
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4, .oldest_other = 5}, 3), EnteringStep(GoIn{}));
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4, .oldest_other = 10}, 3), EnteringStep(RemoveStaleReady{}));
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 1, .oldest_other = 0}, 1), EnteringStep(RemoveStaleReady{}));
}

TEST(DoubleBarrierRules, WithoutANodeNobodyGoesIn) {
    EXPECT_EQ(next_entering({.ready = 8, .members = 5}, 3), EnteringStep(OwnNodeGone{}));
}

TEST(DoubleBarrierRules, TheLowestStaysToTheEndAndTheOthersGoAtOnce) {
    EXPECT_EQ(next_leaving({true, "a", {"b", "c"}}), LeavingStep(AwaitRemoval{"c"}));
    EXPECT_EQ(next_leaving({true, "b", {"a", "c"}}), LeavingStep(RemoveOwn{}));
    EXPECT_EQ(next_leaving({false, "b", {"a", "c"}}), LeavingStep(AwaitRemoval{"a"}));
    EXPECT_EQ(next_leaving({true, "a", {}}), LeavingStep(RemoveOwnAndReady{}));
    EXPECT_EQ(next_leaving({false, "a", {}}), LeavingStep(AllHaveLeft{}));
}

} // namespace
} // namespace docent::detail
