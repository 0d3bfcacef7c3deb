// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_machine.hpp"

#include "unit/client/t0.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

TransactionMachine machine_for(bool has_marker, int retries = 3) {
    return {has_marker, RetryBudget(RetryPolicy::n_times(retries, 10ms), t0)};
}
TransactionAction finished(Outcome outcome, error_code ec = {}) {
    return FinishTransaction{outcome, ec};
}

TEST(TransactionMachine, IsSentOnce) {
    auto machine = machine_for(false);
    EXPECT_EQ(machine.start(1), TransactionAction{SendTransaction{}});
    EXPECT_EQ(machine.on_answer({}, false, t0, 0), finished(Outcome::applied));
}

TEST(TransactionMachine, RejectionIsFinal) {
    auto machine = machine_for(true);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::bad_version, false, t0, 0),
              finished(Outcome::not_applied, server_error::bad_version));
}

TEST(TransactionMachine, LostReplyWithoutMarkerIsNeverSentAgain) {
    for (const auto lost : {server_error::connection_loss, server_error::operation_timeout, server_error::runtime_inconsistency,
                            server_error::session_expired}) {
        auto machine = machine_for(false);
        machine.start(1);
        EXPECT_EQ(machine.on_answer(lost, false, t0, 0), finished(Outcome::unknown, lost));
    }
}

TEST(TransactionMachine, WhatWasNotSentMayBe) {
    auto machine = machine_for(false, 0);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(error::not_connected, false, t0, 0), TransactionAction{PauseTransaction{0ms}});
    EXPECT_EQ(machine.on_connected(2), TransactionAction{SendTransaction{}});
}

TEST(TransactionMachine, ThrottledIsSentAgainAfterAPause) {
    auto machine = machine_for(false, 1);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::throttled, false, t0, 0), TransactionAction{PauseTransaction{10ms}});
    EXPECT_EQ(machine.on_connected(1), TransactionAction{SendTransaction{}});
    EXPECT_EQ(machine.on_answer(server_error::throttled, false, t0, 0),
              finished(Outcome::not_applied, server_error::throttled));
}

TEST(TransactionMachine, MarkerTellsThatItWasApplied) {
    auto machine = machine_for(true);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::connection_loss, false, t0, 0), TransactionAction{PauseTransaction{10ms}});
    EXPECT_EQ(machine.on_connected(1), TransactionAction{FindMarker{}});
    EXPECT_EQ(machine.on_marker({}, t0, 0), finished(Outcome::recovered));
}

TEST(TransactionMachine, MissingMarkerTellsThatItMayBeSentAgain) {
    auto machine = machine_for(true);
    machine.start(1);
    machine.on_answer(server_error::connection_loss, false, t0, 0);
    machine.on_connected(1);
    EXPECT_EQ(machine.on_marker(server_error::no_node, t0, 0), TransactionAction{SendTransaction{}});
    EXPECT_EQ(machine.on_answer({}, false, t0, 0), finished(Outcome::applied));
}

TEST(TransactionMachine, LossDuringTheSearchSearchesAgain) {
    auto machine = machine_for(true);
    machine.start(1);
    machine.on_answer(server_error::connection_loss, false, t0, 0);
    machine.on_connected(1);
    EXPECT_EQ(machine.on_marker(server_error::connection_loss, t0, 0), TransactionAction{PauseTransaction{10ms}});
    EXPECT_EQ(machine.on_connected(1), TransactionAction{FindMarker{}});
}

TEST(TransactionMachine, NewSessionTakesTheMarkerAndTheAnswerWithIt) {
    auto machine = machine_for(true);
    machine.start(1);
    machine.on_answer(server_error::connection_loss, false, t0, 0);
    EXPECT_EQ(machine.on_connected(2), finished(Outcome::unknown, server_error::session_expired));
}

TEST(TransactionMachine, NextTryInAnotherSessionCanBeRefused) {
    TransactionMachine machine(false, RetryBudget(RetryPolicy::n_times(3, 10ms).within_session(), t0));
    machine.start(1);
    machine.on_answer(server_error::throttled, false, t0, 0);
    EXPECT_EQ(machine.on_connected(1), TransactionAction{SendTransaction{}});
    machine.on_answer(server_error::throttled, false, t0, 0);
    EXPECT_EQ(machine.on_connected(2), finished(Outcome::not_applied, server_error::session_expired));
}

TEST(TransactionMachine, ExhaustedRetriesInDoubtStayInDoubt) {
    auto machine = machine_for(true, 1);
    machine.start(1);
    machine.on_answer(server_error::connection_loss, false, t0, 0);
    machine.on_connected(1);
    EXPECT_EQ(machine.on_marker(server_error::connection_loss, t0, 0),
              finished(Outcome::unknown, server_error::connection_loss));
}

TEST(TransactionMachine, MarkerParentIsMadeAgainAfterALoss) {
    auto machine = machine_for(true);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::no_node, true, t0, 0), TransactionAction{SendTransaction{true}});
    machine.on_answer(server_error::connection_loss, false, t0, 0);
    machine.on_connected(1);
    EXPECT_EQ(machine.on_marker(server_error::no_node, t0, 0), TransactionAction{SendTransaction{}});
    EXPECT_EQ(machine.on_answer(server_error::no_node, true, t0, 0), TransactionAction{SendTransaction{true}});
}

TEST(TransactionMachine, MissingMarkerParentIsMadeOnce) {
    auto machine = machine_for(true);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::no_node, true, t0, 0), TransactionAction{SendTransaction{true}});
    EXPECT_EQ(machine.on_answer(server_error::no_node, true, t0, 0), finished(Outcome::not_applied, server_error::no_node));
}

} // namespace
} // namespace docent::detail
