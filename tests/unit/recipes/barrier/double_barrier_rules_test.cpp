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

TEST(DoubleBarrierRules, ALateMemberEntersOnlyIfAMemberIsInside) {
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4}, 3), EnteringStep(LookAtOthers{}));
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4, .oldest_other = 5}, 3), EnteringStep(GoIn{}));
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4, .oldest_other = 10}, 3), EnteringStep(RemoveStaleReady{}));
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 1, .oldest_other = 0}, 1), EnteringStep(RemoveStaleReady{}));
}

TEST(DoubleBarrierRules, AMemberWithoutANodeDoesNotEnter) {
    EXPECT_EQ(next_entering({.ready = 8, .members = 5}, 3), EnteringStep(OwnNodeGone{}));
}

TEST(DoubleBarrierRules, TheLowestStaysToTheEndAndTheOthersGoAtOnce) {
    EXPECT_EQ(next_leaving({true, "a", {"b", "c"}}), LeavingStep(AwaitRemoval{"c"}));
    EXPECT_EQ(next_leaving({true, "b", {"a", "c"}}), LeavingStep(RemoveOwn{}));
    EXPECT_EQ(next_leaving({false, "b", {"a", "c"}}), LeavingStep(AwaitRemoval{"a"}));
    EXPECT_EQ(next_leaving({true, "a", {}}), LeavingStep(RemoveOwnAndReady{}));
    EXPECT_EQ(next_leaving({false, "a", {}}), LeavingStep(AllHaveLeft{}));
}

TEST(DoubleBarrierRules, AMemberThatLostItsNodeWaitsOnlyForMembersInside) {
    const auto seen = [](bool own_is_there, std::optional<bool> ready) {
        return next_leaving({.own_is_there = own_is_there, .own = "b", .others = {"a", "c"}, .lost = true, .ready = ready});
    };
    EXPECT_EQ(seen(true, {}), LeavingStep(RemoveOwn{})) << "of a session that has not ended yet";
    EXPECT_EQ(seen(false, {}), LeavingStep(LookForReady{}));
    EXPECT_EQ(seen(false, true), LeavingStep(AwaitRemoval{"a"}));
    EXPECT_EQ(seen(false, false), LeavingStep(AllHaveLeft{}));
}

} // namespace
} // namespace docent::detail
