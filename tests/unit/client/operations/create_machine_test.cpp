// SPDX-License-Identifier: Apache-2.0
#include "client/operations/create_operation.hpp"

#include "unit/client/t0.hpp"

#include <boost/asio/error.hpp>

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

constexpr CreateMachine::Session first{1, 0xa};
constexpr CreateMachine::Session second{2, 0xb};
const Stat made{.czxid = 7, .ephemeral_owner = 0xa};

CreateMachine machine_for(CreateMode mode, bool is_protected, int retries = 2, int parent_attempts = 0) {
    int count = 0;
    return {{"/p/n-", mode, is_protected, parent_attempts},
            RetryBudget(RetryPolicy::n_times(retries, 10ms), t0),
            [count]() mutable { return "g" + std::to_string(++count); }};
}
CreateMachine protected_machine(int retries = 2) {
    return machine_for(CreateMode::ephemeral_sequential, true, retries);
}

const CreateActions send_protected{SendCreate{"/p/_c_g1-n-"}};
const CreateActions pause{PauseCreate{10ms}};
const CreateActions find{FindCreated{"/p"}};
CreateActions failed(error_code ec) {
    return {FinishCreate{ec}};
}

TEST(CreateMachine, SucceedsAtOnce) {
    auto machine = protected_machine();
    EXPECT_EQ(machine.start(first), send_protected);
    EXPECT_EQ(machine.on_created({}, "/p/_c_g1-n-0000000004", made, t0, 0),
              (CreateActions{FinishCreate{{}, "/p/_c_g1-n-0000000004", made}}));
}

TEST(CreateMachine, LostReplyFindsTheNodeThatWasMade) {
    auto machine = protected_machine();
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::connection_loss, "", {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(first), find);
    EXPECT_EQ(machine.on_found({}, {"_c_g0-n-0000000003", "_c_g1-n-0000000004"}, t0, 0),
              (CreateActions{ReadCreated{"/p/_c_g1-n-0000000004"}}));
    EXPECT_EQ(machine.on_read({}, made, t0, 0), (CreateActions{FinishCreate{{}, "/p/_c_g1-n-0000000004", made}}));
}

TEST(CreateMachine, LostRequestIsSentAgainUnderTheSameName) {
    auto machine = protected_machine();
    machine.start(first);
    machine.on_created(server_error::operation_timeout, "", {}, t0, 0);
    machine.on_connected(first);
    EXPECT_EQ(machine.on_found({}, {"_c_g0-n-0000000003"}, t0, 0), send_protected);
}

TEST(CreateMachine, LossDuringTheSearchSearchesAgain) {
    auto machine = protected_machine();
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    EXPECT_EQ(machine.on_found(server_error::connection_loss, {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(first), find);
}

TEST(CreateMachine, LossWhileReadingReadsAgain) {
    auto machine = protected_machine(3);
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_found({}, {"_c_g1-n-0000000004"}, t0, 0);
    EXPECT_EQ(machine.on_read(server_error::connection_loss, {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(first), (CreateActions{ReadCreated{"/p/_c_g1-n-0000000004"}}));
}

TEST(CreateMachine, NodeThatVanishedWhileReadingIsMadeAgain) {
    auto machine = protected_machine();
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_found({}, {"_c_g1-n-0000000004"}, t0, 0);
    EXPECT_EQ(machine.on_read(server_error::no_node, {}, t0, 0), send_protected);
}

TEST(CreateMachine, NewSessionStartsAnewUnderAnotherName) {
    auto machine = protected_machine();
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::session_expired, "", {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(second), (CreateActions{AbandonCreated{"/p", "g1"}, SendCreate{"/p/_c_g2-n-"}}));
}

TEST(CreateMachine, PersistentNodeOutlivesItsSessionAndIsFound) {
    auto machine = machine_for(CreateMode::persistent_sequential, true);
    machine.start(first);
    machine.on_created(server_error::session_expired, "", {}, t0, 0);
    EXPECT_EQ(machine.on_connected(second), find);
}

TEST(CreateMachine, ARefusedTryLeavesTheDoubtOfAnEarlierOne) {
    for (const auto refusal : {server_error::throttled, server_error::session_moved, server_error::no_auth}) {
        auto machine = machine_for(CreateMode::persistent, false, 1);
        machine.start(first);
        EXPECT_EQ(machine.on_created(server_error::connection_loss, "", {}, t0, 0), pause);
        machine.on_connected(first);
        EXPECT_EQ(machine.on_created(refusal, "", {}, t0, 0), failed(server_error::connection_loss));
    }
}

TEST(CreateMachine, GivingUpRemovesANodeThatMayExist) {
    auto machine = protected_machine(0);
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::connection_loss, "", {}, t0, 0),
              (CreateActions{AbandonCreated{"/p", "g1"}, FinishCreate{server_error::connection_loss}}));
}

TEST(CreateMachine, ACallerThatGivesUpLeavesNoNode) {
    auto machine = protected_machine();
    machine.start(first);
    EXPECT_EQ(machine.on_abandoned(boost::asio::error::operation_aborted),
              (CreateActions{AbandonCreated{"/p", "g1"}, FinishCreate{boost::asio::error::operation_aborted}}));
}

TEST(CreateMachine, NotSentCostsNoRetry) {
    auto machine = protected_machine(0);
    machine.start(first);
    EXPECT_EQ(machine.on_created(error::not_connected, "", {}, t0, 0), CreateActions{PauseCreate{0ms}});
    EXPECT_EQ(machine.on_connected(first), send_protected);
}

TEST(CreateMachine, NotSentAfterALossStillSearches) {
    auto machine = protected_machine();
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_found({}, {}, t0, 0);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    EXPECT_EQ(machine.on_connected(first), find);
}

TEST(CreateMachine, UnprotectedSequentialIsNotRepeated) {
    auto machine = machine_for(CreateMode::persistent_sequential, false);
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::connection_loss, "", {}, t0, 0), failed(server_error::connection_loss));
}

TEST(CreateMachine, UnprotectedEphemeralIsKnownByItsOwner) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    EXPECT_EQ(machine.start(first), CreateActions{SendCreate{"/p/n-"}});
    EXPECT_EQ(machine.on_created(server_error::connection_loss, "", {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(first), CreateActions{SendCreate{"/p/n-"}});
    EXPECT_EQ(machine.on_created(server_error::node_exists, "", {}, t0, 0), CreateActions{ReadCreated{"/p/n-"}});
    EXPECT_EQ(machine.on_read({}, made, t0, 0), (CreateActions{FinishCreate{{}, "/p/n-", made}}));
}

TEST(CreateMachine, AnUnprotectedEphemeralOfAnotherSessionIsForeign) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_created(server_error::node_exists, "", {}, t0, 0);
    EXPECT_EQ(machine.on_read({}, Stat{.ephemeral_owner = 0xdd}, t0, 0), failed(server_error::node_exists));
}

TEST(CreateMachine, AnUnprotectedEphemeralOfAnotherCreateOfTheSessionIsForeign) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_created(server_error::node_exists, "", {}, t0, 0);
    EXPECT_EQ(machine.on_read({}, made, t0, 0, true), failed(server_error::node_exists));
}

TEST(CreateMachine, DoubtAboutAnEphemeralEndsWithItsSession) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::connection_loss, "", {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(second), CreateActions{SendCreate{"/p/n-"}});
    EXPECT_FALSE(machine.in_doubt());
    EXPECT_EQ(machine.on_created(server_error::node_exists, "", {}, t0, 0), failed(server_error::node_exists));
}

TEST(CreateMachine, ANodeThatWasFoundInTheOldSessionIsNotReadInTheNext) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_created(server_error::node_exists, "", {}, t0, 0);
    EXPECT_TRUE(machine.known_by_session());
    EXPECT_EQ(machine.on_read(server_error::connection_loss, {}, t0, 0), pause);
    EXPECT_EQ(machine.on_connected(second), CreateActions{SendCreate{"/p/n-"}});
    EXPECT_FALSE(machine.known_by_session());
}

TEST(CreateMachine, NodeThatExistedBeforeIsAnError) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::node_exists, "", {}, t0, 0), failed(server_error::node_exists));
}

TEST(CreateMachine, MissingParentsAreMadeAFewTimes) {
    auto machine = machine_for(CreateMode::persistent, false, 0, 2);
    machine.start(first);
    const CreateActions with_parents{SendCreate{"/p/n-", true}};
    EXPECT_EQ(machine.on_created(server_error::no_node, "", {}, t0, 0), with_parents);
    EXPECT_EQ(machine.on_created(server_error::no_node, "", {}, t0, 0),
              with_parents); // the server removed the parent in between
    EXPECT_EQ(machine.on_created(server_error::no_node, "", {}, t0, 0), failed(server_error::no_node));
}

TEST(CreateMachine, AuthenticationFailureIsFinal) {
    auto machine = protected_machine();
    machine.start(first);
    EXPECT_EQ(machine.on_created(server_error::auth_failed, "", {}, t0, 0),
              (CreateActions{AbandonCreated{"/p", "g1"}, FinishCreate{server_error::auth_failed}}));
}

TEST(CreateMachine, AnUnreadableFoundNodeIsKnownByItsGuid) {
    auto machine = protected_machine();
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    machine.on_found({}, {"_c_g1-n-0000000004"}, t0, 0);
    EXPECT_EQ(machine.on_read(server_error::no_auth, {}, t0, 0),
              (CreateActions{FinishCreate{{}, "/p/_c_g1-n-0000000004", Stat{.ephemeral_owner = first.id}}}));
}

TEST(CreateMachine, ExistingNodeThatMayNotBeReadLeavesTheOutcomeUnknown) {
    auto machine = machine_for(CreateMode::ephemeral, false);
    machine.start(first);
    machine.on_created(server_error::connection_loss, "", {}, t0, 0);
    machine.on_connected(first);
    EXPECT_EQ(machine.on_created(server_error::node_exists, "", {}, t0, 0), (CreateActions{ReadCreated{"/p/n-"}}));
    EXPECT_EQ(machine.on_read(server_error::no_auth, {}, t0, 0), failed(server_error::connection_loss));
}

} // namespace
} // namespace docent::detail
