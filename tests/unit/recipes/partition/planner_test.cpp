// SPDX-License-Identifier: Apache-2.0
#include "partition/planner.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

class PlannerTest : public testing::Test {
protected:
    static constexpr Planner::Time start{1000s};
    static Planner::Time at(std::chrono::milliseconds time) { return start + time; }
    const std::vector<std::string> items{"0", "1", "2", "3"};
    const Membership::Times times{.join_delay = 2s, .leave_grace = 3s};

    Planner make(const std::string& id) const { return Planner({id, 1, items, times}); }
    std::string name(const std::string& id, std::uint32_t weight = 1) const {
        return format_member({weight, digest_of(items), id});
    }
    Plan plan_for(const Weights& members) const { return next_plan({}, items, members); }
    PlanSeen seen(std::vector<std::string> names, const std::optional<Plan>& plan, std::int32_t version = 0) const {
        PlanSeen all{.names = std::move(names), .version = version};
        if (plan) all.data = format_plan(*plan);
        return all;
    }
    static std::vector<std::string> items_of(const Plan& plan, const std::string& id) { return plan.members.at(id).items; }

    Planner planner = make("a");
};

TEST(MemberNames, AreReadAsTheyWereWritten) {
    const MemberName member{.weight = 12, .digest = 0xab, .id = "worker-3/b"};
    EXPECT_EQ(format_member(member), "member-12-00000000000000ab-worker-3%2Fb");
    EXPECT_EQ(parse_member(format_member(member)), member);
    for (const char* name :
         {"", "member-", "member-1-00000000000000ab", "member-1-00000000000000ab-", "member-0-00000000000000ab-x",
          "member-1-ab-x", "member--00000000000000ab-x", "other-1-00000000000000ab-x"}) {
        EXPECT_FALSE(parse_member(name)) << name;
    }
}

TEST_F(PlannerTest, TheFirstMemberWritesTheFirstPlanAfterTheDelay) {
    EXPECT_EQ(planner.on_joined(at(0s)), (PlanActions{ReadPlan{}}));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, {}), at(0s)), (PlanActions{WaitForPlan{at(2s)}}));
    EXPECT_EQ(planner.on_changed(at(2s)), (PlanActions{ReadPlan{}}));
    const auto plan = plan_for({{"a", 1}, {"b", 1}});
    EXPECT_EQ(planner.on_looked(seen({name("a"), name("b")}, {}), at(2s)), (PlanActions{WritePlan{format_plan(plan), {}}}));
    EXPECT_EQ(planner.on_written({}, at(2s)), (PlanActions{ReadPlan{}}));
    EXPECT_EQ(planner.on_looked(seen({name("a"), name("b")}, plan), at(2s)), (PlanActions{AssignItems{items_of(plan, "a")}}));
}

TEST_F(PlannerTest, AMemberInThePlanHasItsItemsAtOnce) {
    const auto plan = plan_for({{"a", 1}, {"b", 1}});
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_looked(seen({name("a"), name("b")}, plan, 7), at(0s)),
              (PlanActions{AssignItems{items_of(plan, "a")}}));
    planner.on_changed(at(1s));
    EXPECT_EQ(planner.on_looked(seen({name("a"), name("b")}, plan, 7), at(1s)), PlanActions{}) << "nothing has changed";
}

TEST_F(PlannerTest, AMemberThatHasGoneIsReadOnceMoreBeforeThePlanChanges) {
    const auto plan = plan_for({{"a", 1}, {"b", 1}});
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan, 7), at(0s)),
              (PlanActions{AssignItems{items_of(plan, "a")}, WaitForPlan{at(3s)}}));
    // The process stood still for a minute. The other member has rejoined meanwhile.
    EXPECT_EQ(planner.on_changed(at(60s)), (PlanActions{ReadPlan{}}));
    EXPECT_EQ(planner.on_looked(seen({name("a"), name("b")}, plan, 7), at(60s)), PlanActions{});
}

TEST_F(PlannerTest, TheItemsOfAMemberThatHasGoneMove) {
    const auto plan = plan_for({{"a", 1}, {"b", 1}});
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, plan, 7), at(0s));
    planner.on_changed(at(3s));
    const auto next = next_plan(plan, items, {{"a", 1}});
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan, 7), at(3s)), (PlanActions{WritePlan{format_plan(next), 7}}));
    EXPECT_EQ(planner.on_changed(at(3s)), PlanActions{}) << "the write is under way";
    EXPECT_EQ(planner.on_written({}, at(3s)), (PlanActions{ReadPlan{}}));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, next, 8), at(3s)), (PlanActions{AssignItems{items}}));
}

TEST_F(PlannerTest, LaterMembersLeaveTheWriteToTheFirst) {
    auto third = make("c");
    const auto plan = plan_for({{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}});
    third.on_joined(at(0s));
    EXPECT_EQ(third.on_looked(seen({name("a"), name("b"), name("c")}, plan), at(0s)).back(),
              (PlanAction{WaitForPlan{at(3400ms)}}));
}

TEST_F(PlannerTest, AWriteThatCameTooLateIsFollowedByALook) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    planner.on_changed(at(2s));
    planner.on_looked(seen({name("a")}, {}), at(2s));
    EXPECT_EQ(planner.on_written(server_error::node_exists, at(2s)), (PlanActions{ReadPlan{}}));
}

TEST_F(PlannerTest, ALostReplyOfTheWriteIsFollowedByALook) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    planner.on_changed(at(2s));
    planner.on_looked(seen({name("a")}, {}), at(2s));
    EXPECT_EQ(planner.on_written(server_error::connection_loss, at(2s)), (PlanActions{ReadPlan{}}));
}

TEST_F(PlannerTest, ARefusedWriteIsReportedOnceAndTriedAgainLater) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    planner.on_changed(at(2s));
    planner.on_looked(seen({name("a")}, {}), at(2s));
    EXPECT_EQ(planner.on_written(server_error::no_auth, at(2s)),
              (PlanActions{ReportObstacle{server_error::no_auth, "cannot write the plan"}, WaitForPlan{at(3s)}}));
    planner.on_changed(at(3s));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, {}), at(3s)).size(), 1u);
    EXPECT_EQ(planner.on_written(server_error::no_auth, at(3s)), (PlanActions{WaitForPlan{at(4s)}}));
}

TEST_F(PlannerTest, AChangeDuringALookLooksAgain) {
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_changed(at(0s)), PlanActions{});
    EXPECT_EQ(planner.on_looked(seen({name("a")}, {}), at(0s)), (PlanActions{ReadPlan{}}));
}

TEST_F(PlannerTest, ALookThatFailsIsRepeatedAndReportedUnlessItIsAnOutage) {
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_looked({.ec = error::not_connected, .names = {}, .data = {}}, at(0s)),
              (PlanActions{WaitForPlan{at(1s)}}));
    planner.on_changed(at(1s));
    EXPECT_EQ(planner.on_looked({.ec = server_error::no_auth, .names = {}, .data = {}}, at(1s)),
              (PlanActions{ReportObstacle{server_error::no_auth, "cannot read the plan"}, WaitForPlan{at(2s)}}));
}

TEST_F(PlannerTest, TheEndOfTheSessionTakesAllItems) {
    const auto plan = plan_for({{"a", 1}});
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, plan), at(0s));
    EXPECT_EQ(planner.on_session_lost(), (PlanActions{AssignItems{}}));
    EXPECT_EQ(planner.on_changed(at(1s)), PlanActions{}) << "it has not joined again";
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan), at(1s)), PlanActions{}) << "of the last session";
    planner.on_joined(at(2s));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan), at(2s)), (PlanActions{AssignItems{items}}));
}

TEST_F(PlannerTest, ItsOwnDeletedNodeChangesNothing) {
    const auto plan = plan_for({{"a", 1}});
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, plan), at(0s));
    planner.on_changed(at(1s));
    EXPECT_EQ(planner.on_looked(seen({}, plan), at(1s)), PlanActions{});
}

TEST_F(PlannerTest, ADeletedPlanComesBackWithoutAMove) {
    const Plan plan{.digest = digest_of(items), .moves = 5, .members = {{"a", {1, {"1", "3"}}}, {"b", {1, {"0", "2"}}}}};
    const std::vector<std::string> both{name("a"), name("b")};
    planner.on_joined(at(0s));
    planner.on_looked(seen(both, plan), at(0s));
    planner.on_changed(at(1s));
    EXPECT_EQ(planner.on_looked(seen(both, {}), at(1s)), (PlanActions{WaitForPlan{at(3s)}}));
    planner.on_changed(at(3s));
    EXPECT_EQ(planner.on_looked(seen(both, {}), at(3s)), (PlanActions{WritePlan{format_plan(plan), {}}}));
}

TEST_F(PlannerTest, ForeignNodesAreNoMembers) {
    const auto plan = plan_for({{"a", 1}});
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_looked(seen({"readme", name("a"), "member-x"}, plan), at(0s)), (PlanActions{AssignItems{items}}));
}

TEST_F(PlannerTest, OtherDataInThePlansNodeIsReportedAndNotOverwritten) {
    const auto plan = plan_for({{"a", 1}});
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, plan), at(0s));
    planner.on_changed(at(1s));
    PlanSeen other{.names = {name("a")}, .data = "x", .version = 3};
    EXPECT_EQ(
        planner.on_looked(other, at(1s)),
        (PlanActions{ReportObstacle{error::corrupt_data,
                                    "the plan's node has data that is no plan; delete the node if no other program uses it"}}))
        << "it keeps its items";
    planner.on_changed(at(2s));
    EXPECT_EQ(planner.on_looked(other, at(2s)), PlanActions{}) << "reported once";
    planner.on_changed(at(3s));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan), at(3s)), PlanActions{});
    planner.on_changed(at(4s));
    EXPECT_EQ(planner.on_looked(other, at(4s)).size(), 1u) << "reported again";
}

TEST_F(PlannerTest, WhileThePlanCannotBeUsedNoTimeOfAMemberRuns) {
    const auto plan = plan_for({{"a", 1}});
    const std::vector<std::string> both{name("a"), name("c")};
    const PlanSeen unreadable{.names = {name("a")}, .data = "x", .version = 3};
    const auto of_others =
        seen({name("a"), format_member({1, digest_of({"x", "y"}), "z"})}, next_plan({}, {"x", "y"}, {{"z", 1}}));
    for (const auto& useless : {unreadable, of_others}) {
        auto one = make("a");
        one.on_joined(at(0s));
        EXPECT_EQ(one.on_looked(seen(both, plan), at(0s)).back(), (PlanAction{WaitForPlan{at(2s)}}));
        one.on_changed(at(1s));
        one.on_looked(useless, at(1s));
        one.on_changed(at(60s)); // the new member has left, and has rejoined just now
        EXPECT_EQ(one.on_looked(seen(both, plan), at(60s)).back(), (PlanAction{WaitForPlan{at(62s)}}));
    }
}

TEST_F(PlannerTest, MembersWithOtherItemsThanThePresentOnesGetNothing) {
    const auto digest = digest_of({"x", "y"});
    const auto plan = next_plan({}, {"x", "y"}, {{"z", 1}});
    const auto other = format_member({1, digest, "z"});
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_looked(seen({name("a"), other}, plan, 4), at(0s)),
              (PlanActions{ReportObstacle{server_error::bad_arguments,
                                          "the present members have other items; give all members the same items"},
                           AssignItems{}}));
    planner.on_changed(at(5s)); // the last of the others has gone
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan, 4), at(5s)), (PlanActions{WaitForPlan{at(7s)}}));
    planner.on_changed(at(7s));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, plan, 4), at(7s)),
              (PlanActions{WritePlan{format_plan(plan_for({{"a", 1}})), 4}}));
}

TEST_F(PlannerTest, OfTwoMembersWithOneIdTheMemberInThePlanHasTheItems) {
    const std::vector<std::string> both{name("a"), name("a", 5)};
    for (const std::uint32_t planned : {1U, 5U}) {
        const auto plan = plan_for({{"a", planned}});
        for (const std::uint32_t weight : {1U, 5U}) {
            Planner member({"a", weight, items, times});
            member.on_joined(at(0s));
            const PlanActions refused{
                ReportObstacle{
                    server_error::node_exists,
                    "another member has this id, or this member's last session has not ended; give each member its own id"},
                AssignItems{}};
            EXPECT_EQ(member.on_looked(seen(both, plan), at(0s)),
                      weight == planned ? PlanActions{AssignItems{items}} : refused);
        }
    }
}

TEST_F(PlannerTest, AMemberThatLeavesGivesItsItemsToTheOthers) {
    const auto plan = plan_for({{"a", 1}, {"b", 1}});
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a"), name("b")}, plan, 7), at(0s));
    const auto next = next_plan(plan, items, {{"b", 1}});
    EXPECT_EQ(planner.on_leaving(), (PlanActions{WritePlan{format_plan(next), 7}}));
    EXPECT_EQ(planner.on_written({}, at(1s)), PlanActions{});
    EXPECT_EQ(planner.on_changed(at(1s)), PlanActions{});
}

TEST_F(PlannerTest, WithoutItsNodeItStillGivesUpWhatThePlanTakes) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a"), name("b")}, plan_for({{"a", 1}, {"b", 1}}), 7), at(0s));
    planner.on_changed(at(5s));
    EXPECT_EQ(planner.on_looked(seen({name("b")}, plan_for({{"b", 1}}), 8), at(5s)), (PlanActions{AssignItems{}}));
}

TEST_F(PlannerTest, ARefusedWriteIsOverWhenAnotherMemberHasWritten) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    planner.on_changed(at(2s));
    planner.on_looked(seen({name("a")}, {}), at(2s));
    planner.on_written(server_error::no_auth, at(2s));
    planner.on_changed(at(3s));
    planner.on_looked(seen({name("a"), name("b")}, plan_for({{"a", 1}, {"b", 1}})), at(3s));
    planner.on_changed(at(4s));
    EXPECT_EQ(planner.on_looked({.ec = server_error::no_auth, .names = {}, .data = {}}, at(4s)).front(),
              (PlanAction{ReportObstacle{server_error::no_auth, "cannot read the plan"}}));
}

TEST_F(PlannerTest, AServerThatIsBusyRefusesNothing) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    planner.on_changed(at(2s));
    planner.on_looked(seen({name("a")}, {}), at(2s));
    EXPECT_EQ(planner.on_written(server_error::throttled, at(2s)), (PlanActions{WaitForPlan{at(3s)}}));
}

TEST_F(PlannerTest, WritesThatAreLostInARowAreReportedAndPause) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    planner.on_changed(at(2s));
    for (int lost = 0; lost < 2; ++lost) {
        planner.on_looked(seen({name("a")}, {}), at(2s));
        EXPECT_EQ(planner.on_written(server_error::connection_loss, at(2s)), (PlanActions{ReadPlan{}}));
    }
    planner.on_looked(seen({name("a")}, {}), at(2s));
    EXPECT_EQ(planner.on_written(server_error::connection_loss, at(2s)),
              (PlanActions{ReportObstacle{server_error::connection_loss, "cannot write the plan"}, WaitForPlan{at(3s)}}));
}

TEST_F(PlannerTest, APlanThatLacksAnItemIsWrittenAgain) {
    const Plan plan{.digest = digest_of(items), .moves = 5, .members = {{"a", {1, {"0", "1"}}}, {"b", {1, {"2"}}}}};
    const Plan twice{.digest = digest_of(items), .moves = 5, .members = {{"a", {1, {"0", "1"}}}, {"b", {1, {"1", "2"}}}}};
    const Plan whole{.digest = digest_of(items), .moves = 5, .members = {{"a", {1, {"0", "1"}}}, {"b", {1, {"2", "3"}}}}};
    for (const auto& changed : {plan, twice}) {
        auto one = make("a");
        one.on_joined(at(0s));
        EXPECT_EQ(one.on_looked(seen({name("a"), name("b")}, changed, 4), at(0s)).back(),
                  (PlanAction{WritePlan{format_plan(whole), 4}}));
    }
    const Plan empty{.digest = digest_of(items), .moves = 5};
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_looked(seen({name("a")}, empty, 4), at(0s)).back(), (PlanAction{WaitForPlan{at(2s)}}))
        << "a plan without members could not be completed";
}

TEST_F(PlannerTest, AMemberWhoseIdIsTakenTakesNothingWithItWhenItLeaves) {
    Planner heavy({"a", 5, items, times});
    const auto plan = plan_for({{"a", 1}, {"b", 1}});
    const std::vector<std::string> names{name("a"), name("a", 5), name("b")};
    heavy.on_joined(at(0s));
    heavy.on_looked(seen(names, plan, 7), at(0s));
    EXPECT_EQ(heavy.on_leaving(), (PlanActions{ReadPlan{}}));
    EXPECT_EQ(heavy.on_looked_leaving(seen(names, plan, 7)), PlanActions{});
}

TEST_F(PlannerTest, LostRepliesOfWritesThatWereAppliedDoNotAddUp) {
    Weights members{{"a", 1}};
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, {}), at(0s));
    for (int round = 0; round < 3; ++round) {
        const auto now = at(round * 10s);
        const auto before = round == 0 ? std::nullopt : std::optional(plan_for(members));
        members["b" + std::to_string(round)] = 1;
        std::vector<std::string> names;
        for (const auto& [id, weight] : members) names.push_back(name(id));
        planner.on_changed(now);
        planner.on_looked(seen(names, before, round), now);
        planner.on_changed(now + 2s);
        EXPECT_TRUE(std::holds_alternative<WritePlan>(planner.on_looked(seen(names, before, round), now + 2s).back()));
        EXPECT_EQ(planner.on_written(server_error::connection_loss, now + 2s), (PlanActions{ReadPlan{}})) << round;
        planner.on_looked(seen(names, plan_for(members), round + 1), now + 2s);
    }
}

TEST_F(PlannerTest, AMemberThatLeavesReadsAPlanThatHasChanged) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a"), name("b"), name("c")}, plan_for({{"a", 1}, {"b", 1}, {"c", 1}}), 7), at(0s));
    planner.on_leaving();
    const auto without_b = plan_for({{"a", 1}, {"c", 1}}); // b has left meanwhile
    EXPECT_EQ(planner.on_looked_leaving(seen({}, without_b, 8)),
              (PlanActions{WritePlan{format_plan(next_plan(without_b, items, {{"c", 1}})), 8}}));
    EXPECT_EQ(planner.on_looked_leaving(seen({}, plan_for({{"c", 1}}), 9)), PlanActions{}) << "done";
    EXPECT_EQ(planner.on_looked_leaving({.ec = server_error::connection_loss, .names = {}, .data = {}}), PlanActions{});
}

TEST_F(PlannerTest, AMemberThatLeavesDuringALookReadsThePlanFirst) {
    planner.on_joined(at(0s));
    EXPECT_EQ(planner.on_leaving(), (PlanActions{ReadPlan{}}));
    EXPECT_EQ(make("b").on_leaving(), PlanActions{}) << "it has not joined";
}

TEST_F(PlannerTest, TheLastMemberLeavesThePlanAsItIs) {
    planner.on_joined(at(0s));
    planner.on_looked(seen({name("a")}, plan_for({{"a", 1}})), at(0s));
    EXPECT_EQ(planner.on_leaving(), PlanActions{});
}

} // namespace
} // namespace docent::detail
