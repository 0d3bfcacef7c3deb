// SPDX-License-Identifier: Apache-2.0
#include "client/operations/remove_operation.hpp"

#include "unit/client/t0.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t any = 0;
const error_code ok;
const error_code no_node = server_error::no_node;
const error_code not_empty = server_error::not_empty;
const error_code lost = server_error::connection_loss;

RemoveTreeMachine machine_for(const std::string& root, RetryPolicy policy = RetryPolicy::n_times(3, 100ms)) {
    return {root, RetryBudget(policy, t0)};
}

TEST(RemoveTreeMachine, LeafTakesOneRequest) {
    auto machine = machine_for("/a");
    EXPECT_EQ(machine.start(), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{FinishRemoval{}});
}

TEST(RemoveTreeMachine, ChildrenGoInOnePipeline) {
    auto machine = machine_for("/a");
    machine.start();
    EXPECT_EQ(machine.on_removed({not_empty}, t0, any), RemoveTreeAction{ListNode{"/a"}});
    EXPECT_EQ(machine.on_listed({}, {"x", "y"}, t0, any), (RemoveTreeAction{RemoveNodes{{"/a/x", "/a/y"}}}));
    EXPECT_EQ(machine.on_removed({ok, ok}, t0, any), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{FinishRemoval{}});
}

TEST(RemoveTreeMachine, GoesDownWhereThereIsMore) {
    auto machine = machine_for("/a");
    machine.start();
    machine.on_removed({not_empty}, t0, any);
    machine.on_listed({}, {"x", "y", "z"}, t0, any);
    EXPECT_EQ(machine.on_removed({not_empty, ok, not_empty}, t0, any), RemoveTreeAction{ListNode{"/a/z"}});
    EXPECT_EQ(machine.on_listed({}, {"1"}, t0, any), RemoveTreeAction{RemoveNodes{{"/a/z/1"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{RemoveNodes{{"/a/z"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{ListNode{"/a/x"}});
    EXPECT_EQ(machine.on_listed({}, {"1"}, t0, any), RemoveTreeAction{RemoveNodes{{"/a/x/1"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{RemoveNodes{{"/a/x"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({ok}, t0, any), RemoveTreeAction{FinishRemoval{}});
}

TEST(RemoveTreeMachine, NodesThatOthersHaveRemovedAreGone) {
    auto machine = machine_for("/a");
    machine.start();
    machine.on_removed({not_empty}, t0, any);
    machine.on_listed({}, {"x"}, t0, any);
    EXPECT_EQ(machine.on_removed({no_node}, t0, any), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({no_node}, t0, any), RemoveTreeAction{FinishRemoval{}});
}

TEST(RemoveTreeMachine, ListOfANodeThatHasGone) {
    auto machine = machine_for("/a");
    machine.start();
    machine.on_removed({not_empty}, t0, any);
    EXPECT_EQ(machine.on_listed(no_node, {}, t0, any), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({no_node}, t0, any), RemoveTreeAction{FinishRemoval{}});
}

TEST(RemoveTreeMachine, NothingThereIsAnError) {
    auto machine = machine_for("/a");
    machine.start();
    EXPECT_EQ(machine.on_removed({no_node}, t0, any), RemoveTreeAction{FinishRemoval{no_node}});
}

TEST(RemoveTreeMachine, NothingThereAfterALostReplyIsOurOwnDoing) {
    auto machine = machine_for("/a");
    machine.start();
    EXPECT_EQ(machine.on_removed({lost}, t0, any), RemoveTreeAction{PauseRemoval{100ms}});
    EXPECT_EQ(machine.on_connected(), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({no_node}, t0, any), RemoveTreeAction{FinishRemoval{}});
}

TEST(RemoveTreeMachine, NotSentIsNoDoubtAndCostsNoTry) {
    auto machine = machine_for("/a", RetryPolicy::none());
    machine.start();
    EXPECT_EQ(machine.on_removed({error::not_connected}, t0, any), RemoveTreeAction{PauseRemoval{}});
    EXPECT_EQ(machine.on_connected(), RemoveTreeAction{RemoveNodes{{"/a"}}});
    EXPECT_EQ(machine.on_removed({no_node}, t0, any), RemoveTreeAction{FinishRemoval{no_node}});
}

TEST(RemoveTreeMachine, OnlyLostRequestsAreSentAgain) {
    auto machine = machine_for("/a");
    machine.start();
    machine.on_removed({not_empty}, t0, any);
    machine.on_listed({}, {"x", "y", "z"}, t0, any);
    EXPECT_EQ(machine.on_removed({ok, lost, lost}, t0, any), RemoveTreeAction{PauseRemoval{100ms}});
    EXPECT_EQ(machine.on_connected(), (RemoveTreeAction{RemoveNodes{{"/a/y", "/a/z"}}}));
    EXPECT_EQ(machine.on_removed({no_node, ok}, t0, any), RemoveTreeAction{RemoveNodes{{"/a"}}});
}

TEST(RemoveTreeMachine, LostListIsReadAgain) {
    auto machine = machine_for("/a");
    machine.start();
    machine.on_removed({not_empty}, t0, any);
    EXPECT_EQ(machine.on_listed(lost, {}, t0, any), RemoveTreeAction{PauseRemoval{100ms}});
    EXPECT_EQ(machine.on_connected(), RemoveTreeAction{ListNode{"/a"}});
}

TEST(RemoveTreeMachine, GivesUpWhenThePolicyDoes) {
    auto machine = machine_for("/a", RetryPolicy::n_times(1, 1ms));
    machine.start();
    machine.on_removed({lost}, t0, any);
    machine.on_connected();
    EXPECT_EQ(machine.on_removed({lost}, t0, any), RemoveTreeAction{FinishRemoval{lost}});
}

TEST(RemoveTreeMachine, OtherErrorsEndIt) {
    auto machine = machine_for("/a");
    machine.start();
    EXPECT_EQ(machine.on_removed({server_error::bad_version}, t0, any),
              RemoveTreeAction{FinishRemoval{server_error::bad_version}});
    auto second = machine_for("/a");
    second.start();
    second.on_removed({not_empty}, t0, any);
    second.on_listed({}, {"x", "y"}, t0, any);
    EXPECT_EQ(second.on_removed({ok, server_error::no_auth}, t0, any), RemoveTreeAction{FinishRemoval{server_error::no_auth}});
}

TEST(RemoveTreeMachine, GivesUpIfChildrenAreMadeAgainAndAgain) {
    auto machine = machine_for("/a");
    RemoveTreeAction action = machine.start();
    for (int round = 0; round < 10; ++round) {
        EXPECT_EQ(machine.on_removed({not_empty}, t0, any), RemoveTreeAction{ListNode{"/a"}}) << round;
        machine.on_listed({}, {"x"}, t0, any);
        action = machine.on_removed({ok}, t0, any);
        EXPECT_EQ(action, RemoveTreeAction{RemoveNodes{{"/a"}}});
    }
    EXPECT_EQ(machine.on_removed({not_empty}, t0, any), RemoveTreeAction{FinishRemoval{not_empty}});
}

} // namespace
} // namespace docent::detail
