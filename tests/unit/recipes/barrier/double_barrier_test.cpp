// SPDX-License-Identifier: Apache-2.0
#include "barrier/double_barrier_core.hpp"
#include "world_test.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace docent::detail {
namespace {

// ---- the next step, by the nodes that a member sees

using LeavingKind = LeavingStep::Kind;

TEST(DoubleBarrierRules, WaitsUntilEnoughAreThereAndTheLastMakesReady) {
    EXPECT_EQ(next_entering({.own = 7, .members = 2}, 3), EnteringStep::await_ready);
    EXPECT_EQ(next_entering({.own = 7, .members = 3}, 3), EnteringStep::make_ready);
    EXPECT_EQ(next_entering({.own = 7, .members = 4}, 3), EnteringStep::make_ready);
    EXPECT_EQ(next_entering({.own = 7, .ready = 8, .members = 1}, 3), EnteringStep::go_in) << "others may have left already";
}

TEST(DoubleBarrierRules, ALateMemberEntersOnlyIfAMemberIsInside) {
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4}, 3), EnteringStep::look_at_others);
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4, .oldest_other = 5}, 3), EnteringStep::go_in);
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 4, .oldest_other = 10}, 3), EnteringStep::remove_ready);
    EXPECT_EQ(next_entering({.own = 9, .ready = 8, .members = 1, .oldest_other = 0}, 1), EnteringStep::remove_ready);
}

TEST(DoubleBarrierRules, AMemberWithoutANodeDoesNotEnter) {
    EXPECT_EQ(next_entering({.ready = 8, .members = 5}, 3), EnteringStep::fail);
}

TEST(DoubleBarrierRules, TheLowestStaysToTheEndAndTheOthersGoAtOnce) {
    EXPECT_EQ(next_leaving({true, "a", {"b", "c"}}), (LeavingStep{LeavingKind::await_removal, "c"}));
    EXPECT_EQ(next_leaving({true, "b", {"a", "c"}}), LeavingStep{LeavingKind::remove_own});
    EXPECT_EQ(next_leaving({false, "b", {"a", "c"}}), (LeavingStep{LeavingKind::await_removal, "a"}));
    EXPECT_EQ(next_leaving({true, "a", {}}), LeavingStep{LeavingKind::remove_own_and_ready});
    EXPECT_EQ(next_leaving({false, "a", {}}), LeavingStep{LeavingKind::all_have_left});
}

TEST(DoubleBarrierRules, AMemberThatLostItsNodeWaitsOnlyForMembersInside) {
    const auto seen = [](bool own_is_there, std::optional<bool> ready) {
        return next_leaving({.own_is_there = own_is_there, .own = "b", .others = {"a", "c"}, .lost = true, .ready = ready});
    };
    EXPECT_EQ(seen(true, {}), LeavingStep{LeavingKind::remove_own}) << "of a session that has not ended yet";
    EXPECT_EQ(seen(false, {}), LeavingStep{LeavingKind::look_for_ready});
    EXPECT_EQ(seen(false, true), (LeavingStep{LeavingKind::await_removal, "a"}));
    EXPECT_EQ(seen(false, false), LeavingStep{LeavingKind::all_have_left});
}

// ---- calls

/// Members of one double barrier. Each member has a client.
class DoubleBarrierTest : public WorldTest {
protected:
    using Passage = void (*)(const std::shared_ptr<DoubleBarrierCore>&, CallOptions, Handler<>);

    DoubleBarrierTest() : WorldTest(3) {
        for (std::size_t i = 0; i < 3; ++i) members.push_back(member(i));
    }
    void SetUp() override { connect(); }
    std::shared_ptr<DoubleBarrierCore> member(std::size_t index, std::size_t wanted = 2) {
        return std::make_shared<DoubleBarrierCore>(world.share(index), "/work/barrier", wanted);
    }
    AnswerPtr begin(Passage passage, std::size_t index, CallOptions call = {}) {
        return answer_of([&](auto handler) { passage(members[index], std::move(call), std::move(handler)); });
    }
    AnswerPtr enter(std::size_t index, CallOptions call = {}) { return begin(&initiate_barrier_enter, index, std::move(call)); }
    AnswerPtr leave(std::size_t index, CallOptions call = {}) { return begin(&initiate_barrier_leave, index, std::move(call)); }
    bool is_there(const std::string& name) { return truth().find("/work/barrier/" + name) != nullptr; }
    void go_in(std::size_t one, std::size_t other) {
        const auto first = enter(one);
        const auto second = enter(other);
        expect(first);
        expect(second);
    }
    void expect_empty() {
        settle();
        EXPECT_TRUE(truth().children("/work/barrier").empty());
    }
    /// The second member leaves, and waits for the first one.
    void leave_one_after_the_other() {
        const auto out = leave(1);
        settle();
        EXPECT_EQ(out->times, 0);
        expect(leave(0));
        expect(out);
        expect_empty();
    }
    void hide_all_nodes() {
        for (const auto& name : truth().children("/work/barrier")) servers().hide_node("/work/barrier/" + name);
    }

    std::vector<std::shared_ptr<DoubleBarrierCore>> members;
};

TEST_F(DoubleBarrierTest, TheyBeginAndEndTogether) {
    for (int round = 0; round < 3; ++round) {
        const auto first = enter(0);
        settle();
        EXPECT_EQ(first->times, 0);
        const auto second = enter(1);
        expect(first);
        expect(second);
        EXPECT_TRUE(is_there("ready"));
        leave_one_after_the_other();
    }
}

TEST_F(DoubleBarrierTest, ALateMemberEntersAndIsWaitedFor) {
    go_in(0, 1);
    expect(enter(2));
    const auto first = leave(0);
    const auto second = leave(1);
    settle();
    EXPECT_EQ(first->times + second->times, 0);
    expect(leave(2));
    expect(first);
    expect(second);
    expect_empty();
}

TEST_F(DoubleBarrierTest, AStaleReadyNodeAdmitsNoMember) {
    go_in(0, 1);
    world.inflict(Fault::end_session, 0);
    world.inflict(Fault::end_session, 1);
    connect();
    EXPECT_TRUE(is_there("ready")) << "nobody was there to remove it";
    members[0] = member(0);
    members[1] = member(1);
    const auto first = enter(2);
    settle();
    EXPECT_EQ(first->times, 0);
    EXPECT_FALSE(is_there("ready"));
    const auto second = enter(0);
    expect(first);
    expect(second);
}

TEST_F(DoubleBarrierTest, AMemberThatLosesItsNodeInsideIsToldWhenItLeaves) {
    go_in(0, 1);
    world.inflict(Fault::end_session, 0);
    connect();
    const auto other = leave(1);
    expect(other);
    expect(leave(0), error::lease_lost);
    go_in(0, 1);
    servers().delete_node(members[0]->own_path);
    const auto lost = leave(0);
    settle();
    EXPECT_EQ(lost->times, 0) << "the other is inside";
    expect(leave(1));
    expect(lost, error::lease_lost);
}

TEST_F(DoubleBarrierTest, AMemberThatLostItsNodeDoesNotWaitForMembersThatEnterAgain) {
    go_in(0, 1);
    world.inflict(Fault::end_session, 0);
    connect();
    expect(leave(1));
    const auto again = enter(1);
    settle();
    expect(leave(0), error::lease_lost);
    expect(enter(0));
    expect(again);
}

TEST_F(DoubleBarrierTest, AMemberThatLostItsNodeGoesOnWhenAStaleReadyNodeIsGone) {
    go_in(0, 1);
    world.inflict(Fault::end_session, 0);
    world.inflict(Fault::end_session, 1);
    connect();
    client(0).freeze(std::chrono::seconds{1});
    const auto lost = leave(0);
    std::stop_source stop;
    const auto first = enter(2, {.stop = stop.get_token()}); // removes the `ready` node, which the other members had made
    ASSERT_TRUE(world.run_until([&] { return lost->times == 1; }));
    EXPECT_EQ(lost->ec, error::lease_lost);
    EXPECT_EQ(first->times, 0);
    stop.request_stop();
    expect(first, asio::error::operation_aborted);
}

TEST_F(DoubleBarrierTest, ADeletedNodeEndsTheWaitToEnter) {
    const auto first = enter(0);
    settle();
    const auto names = truth().children("/work/barrier");
    ASSERT_EQ(names.size(), 1u);
    servers().delete_node("/work/barrier/" + *names.begin());
    expect(first, error::lock_node_deleted);
    go_in(0, 1);
}

TEST_F(DoubleBarrierTest, ANodeThatIsDeletedWhileItsMemberLooksEndsTheWaitToEnter) {
    const auto first = enter(0);
    run_until([&] { return client(0).next_request().starts_with("list"); }); // the member has found its node
    const auto names = truth().children("/work/barrier");
    ASSERT_EQ(names.size(), 1u);
    servers().delete_node("/work/barrier/" + names.front());
    servers().learn_all(client(0).server().value());
    expect(first, error::lock_node_deleted);
}

/// Other members replace `ready` after the entering member has read it. Both nodes have the same version.
TEST_F(DoubleBarrierTest, ANewReadyNodeIsNotRemovedInPlaceOfAStaleOne) {
    const auto others = client(1).session().session_id;
    servers().apply(others, zk::CreateRequest{.path = "/work"});
    servers().apply(others, zk::CreateRequest{.path = "/work/barrier"});
    servers().apply(others, zk::CreateRequest{.path = "/work/barrier/ready"});
    const auto first = enter(0);
    run_until([&] { return client(0).next_request().starts_with("set"); });
    servers().delete_node("/work/barrier/ready");
    servers().apply(others, zk::CreateRequest{.path = "/work/barrier/ready"});
    expect(first);
    EXPECT_TRUE(is_there("ready"));
}

/// To make `ready`, the last member must prove that its node exists, which takes READ.
TEST_F(DoubleBarrierTest, ALastMemberThatMayNotReadItsNodeFailsAndLeavesNoNode) {
    const auto first = enter(0);
    settle();
    const auto before = truth().children("/work/barrier");
    const auto second = enter(1);
    run_until([&] { return truth().children("/work/barrier").size() == 2; });
    for (const std::string& name : truth().children("/work/barrier")) {
        if (name != before.front()) servers().hide_node("/work/barrier/" + name);
    }
    expect(second, server_error::no_auth);
    settle();
    EXPECT_EQ(truth().children("/work/barrier"), before);
    EXPECT_EQ(first->times, 0);
    expect(enter(2));
    expect(first);
}

TEST_F(DoubleBarrierTest, ALateMemberThatMayNotReadTheOthersFailsAndLeavesNoNode) {
    go_in(0, 1);
    const auto before = truth().children("/work/barrier");
    for (const std::string& name : before) {
        if (name != "ready") servers().hide_node("/work/barrier/" + name);
    }
    servers().learn_all(client(2).server().value());
    expect(enter(2), server_error::no_auth);
    settle();
    EXPECT_EQ(truth().children("/work/barrier"), before);
    const auto one = leave(0);
    const auto other = leave(1);
    expect(one);
    expect(other);
    expect_empty();
}

TEST_F(DoubleBarrierTest, AMemberThatGivesUpNoLongerCounts) {
    connect();
    const auto in_time = enter(0, {.timeout = std::chrono::milliseconds(300)});
    expect(in_time, server_error::operation_timeout);
    expect_empty();
    std::stop_source stop;
    const auto stopped = enter(0, {.stop = stop.get_token()});
    settle();
    stop.request_stop();
    expect(stopped, asio::error::operation_aborted);
    expect_empty();
    const auto alone = enter(1);
    settle();
    EXPECT_EQ(alone->times, 0);
    expect(enter(2));
    expect(alone);
    expect(leave(1, {.timeout = std::chrono::milliseconds(300)}), server_error::operation_timeout);
    expect(leave(2));
    expect_empty();
}

TEST_F(DoubleBarrierTest, AMemberThatIsStoppedBeforeItsLeaveHasLeft) {
    go_in(0, 1);
    std::stop_source stop;
    stop.request_stop();
    expect(leave(0, {.stop = stop.get_token()}), asio::error::operation_aborted);
    expect(leave(1));
    expect_empty();
    go_in(0, 1);
    const auto leaving = leave(0);
    expect(leave(0, {.stop = stop.get_token()}), asio::error::operation_aborted);
    expect(leave(1));
    expect(leaving);
    go_in(0, 1);
}

TEST_F(DoubleBarrierTest, AnObjectThatIsDestroyedInsideHasLeft) {
    go_in(0, 1);
    members[0].reset();
    expect(leave(1));
    settle();
    const auto first = enter(1);
    settle();
    EXPECT_EQ(first->times, 0) << "nobody is inside";
    const auto second = enter(2);
    expect(first);
    expect(second);
}

TEST_F(DoubleBarrierTest, RefusesCallsOutOfOrder) {
    connect();
    expect(leave(0), server_error::invalid_state);
    const auto entering = enter(0);
    expect(enter(0), server_error::invalid_state);
    expect(enter(1));
    expect(entering);
    expect(enter(0), server_error::invalid_state);
}

TEST_F(DoubleBarrierTest, EndsWithItsClient) {
    const auto waiting = enter(0);
    settle();
    client(0).close();
    expect(waiting, error::closed);
}

TEST_F(DoubleBarrierTest, TheEndOfASessionAtAnyMomentBlocksNoMember) {
    for (int steps = 0; steps < 60; ++steps) {
        SCOPED_TRACE(steps);
        connect();
        const auto first = enter(0);
        const auto second = enter(1);
        for (int n = 0; n < steps; ++n) world.step();
        world.inflict(Fault::end_session, 0);
        connect();
        expect(first);
        ASSERT_TRUE(world.run_until([&] { return members[1]->stage == DoubleBarrierCore::Stage::inside; }));
        const auto out = leave(0);
        const auto last = leave(1);
        ASSERT_TRUE(world.run_until([&] { return out->times == 1 && last->times == 1; }));
        connect();
        expect_empty();
    }
}

// ---- nodes that may not be read

TEST_F(DoubleBarrierTest, MembersWithUnreadableNodesEnterAndLeave) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        servers().exists_needs = needs;
        const auto first = enter(0);
        settle();
        hide_all_nodes();
        const auto second = enter(1);
        run_until([&] { return is_there("ready"); });
        hide_all_nodes(); // before the first member sees `ready`
        EXPECT_EQ(first->times, 0);
        expect(first);
        expect(second);
        leave_one_after_the_other();
    }
}

TEST_F(DoubleBarrierTest, AMemberThatLostItsNodeWaitsForAMemberWhoseNodesItMayNotRead) {
    for (const auto needs : {ExistsNeeds::read, ExistsNeeds::nothing}) {
        servers().exists_needs = needs;
        go_in(0, 1);
        servers().delete_node(members[0]->own_path);
        hide_all_nodes();
        const auto lost = leave(0);
        settle();
        EXPECT_EQ(lost->times, 0) << "the other is inside";
        expect(leave(1));
        expect(lost, error::lease_lost);
        expect_empty();
    }
}

} // namespace
} // namespace docent::detail
