// SPDX-License-Identifier: Apache-2.0
#include "partition/membership.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <utility>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

class MembershipTest : public testing::Test {
protected:
    static constexpr Membership::Time start{1000s};
    static Membership::Time at(std::chrono::milliseconds time) { return start + time; }

    void on_plan(std::optional<Weights> members, Membership::Time now) {
        counted = std::move(members);
        if (present) membership.on_seen(counted, *present, now);
    }
    void on_listed(Weights members, Membership::Time now) {
        present = std::move(members);
        membership.on_seen(counted, *present, now);
    }

    std::optional<Weights> counted;
    std::optional<Weights> present;
    Membership membership{{.join_delay = 2s, .leave_grace = 3s}};
    const Weights both{{"a", 1}, {"b", 1}};
    const Weights one{{"a", 1}};
};

TEST_F(MembershipTest, WithoutAPlanAllCountTogetherOnceTheFirstIsDue) {
    on_plan({}, at(0s));
    on_listed(one, at(0s));
    on_listed(both, at(1900ms));
    EXPECT_EQ(membership.next_due(), at(2s));
    EXPECT_FALSE(membership.due(at(1999ms)));
    EXPECT_EQ(membership.due(at(2s)), both);
}

TEST_F(MembershipTest, TheLongestGraceDoesNotOverflow) {
    Membership patient{{.join_delay = 2s, .leave_grace = std::chrono::milliseconds::max()}};
    patient.on_seen(both, one, at(0s));
    EXPECT_FALSE(patient.due(at(std::chrono::hours{24 * 365})));
    EXPECT_GT(patient.next_due(), at(std::chrono::hours{24 * 365}));
}

TEST_F(MembershipTest, AMemberThatComesCountsAfterTheDelay) {
    on_plan(one, at(0s));
    on_listed(both, at(1s));
    on_listed(both, at(2s));
    EXPECT_EQ(membership.next_due(), at(3s));
    EXPECT_FALSE(membership.due(at(2999ms)));
    EXPECT_EQ(membership.due(at(3s)), both);
}

TEST_F(MembershipTest, AMemberThatGoesCountsForTheGrace) {
    on_plan(both, at(0s));
    on_listed(one, at(1s));
    EXPECT_EQ(membership.next_due(), at(4s));
    EXPECT_FALSE(membership.due(at(3999ms)));
    EXPECT_EQ(membership.due(at(4s)), one);
}

TEST_F(MembershipTest, AFlappingMemberChangesNothing) {
    on_plan(both, at(0s));
    for (auto time = 0ms; time < 60s; time += 2s) {
        on_listed(one, at(time));
        EXPECT_FALSE(membership.due(at(time + 999ms)));
        on_listed(both, at(time + 1s));
        EXPECT_FALSE(membership.next_due());
    }
    on_plan(one, at(60s));
    for (auto time = 60s; time < 120s; time += 2s) {
        on_listed(both, at(time));
        EXPECT_FALSE(membership.due(at(time + 999ms)));
        on_listed(one, at(time + 1s));
        EXPECT_FALSE(membership.next_due());
    }
}

TEST_F(MembershipTest, AnotherWeightCountsAfterTheDelay) {
    const Weights heavier{{"a", 1}, {"b", 5}};
    on_plan(both, at(0s));
    on_listed(heavier, at(1s));
    EXPECT_FALSE(membership.due(at(2s)));
    EXPECT_EQ(membership.due(at(3s)), heavier);
    on_listed({{"a", 1}, {"b", 7}}, at(3s));
    EXPECT_EQ(membership.next_due(), at(5s)) << "a change of the change begins again";
}

TEST_F(MembershipTest, APlanOfAnotherMemberEndsTheWait) {
    on_plan(one, at(0s));
    on_listed(both, at(0s));
    on_plan(both, at(1s));
    EXPECT_FALSE(membership.next_due());
    EXPECT_FALSE(membership.due(at(100s)));
}

TEST_F(MembershipTest, ChangesThatAreNotDueWaitForTheirOwnTime) {
    on_plan(both, at(0s));
    on_listed({{"a", 1}, {"c", 1}}, at(0s));
    EXPECT_EQ(membership.due(at(2s)), (Weights{{"a", 1}, {"b", 1}, {"c", 1}}));
    EXPECT_EQ(membership.due(at(3s)), (Weights{{"a", 1}, {"c", 1}}));
}

TEST_F(MembershipTest, IfAllHaveGoneAPlanWaitsForTheFirstThatComes) {
    on_plan(both, at(0s));
    on_listed({}, at(0s));
    EXPECT_FALSE(membership.due(at(100s)));
    on_listed({{"c", 1}}, at(100s));
    EXPECT_FALSE(membership.due(at(101s)));
    EXPECT_EQ(membership.due(at(102s)), (Weights{{"c", 1}}));
}

TEST_F(MembershipTest, NothingIsKnownOfTheTimeBeforeAnotherSession) {
    on_plan(both, at(0s));
    on_listed(one, at(0s));
    membership.forget();
    EXPECT_FALSE(membership.next_due());
    on_listed(one, at(10s));
    EXPECT_EQ(membership.next_due(), at(13s));
}

} // namespace
} // namespace docent::detail
