// SPDX-License-Identifier: Apache-2.0
#include "client/transaction/transaction_machine.hpp"

#include "unit/client/t0.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

using Marker = TransactionMachine::Marker;
using Finding = WriteMarker::Finding;

TransactionMachine machine_for(Marker marker, int retries = 3) {
    return {marker, RetryBudget(RetryPolicy::n_times(retries, 10ms), t0)};
}
TransactionAction finished(Outcome outcome, error_code ec = {}) {
    return FinishTransaction{outcome, ec};
}
const TransactionAction sent = SendTransaction{};
const TransactionAction asked = AskMarker{};

/// A machine whose multi's reply was lost and which is connected again.
TransactionMachine in_doubt(int retries = 3) {
    auto machine = machine_for(Marker::made, retries);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::connection_loss, false, t0, 0), TransactionAction{PauseTransaction{10ms}});
    EXPECT_EQ(machine.on_connected(1), asked);
    return machine;
}

TEST(TransactionMachine, IsSentOnce) {
    for (const auto marker : {Marker::none, Marker::made}) {
        auto machine = machine_for(marker);
        EXPECT_EQ(machine.start(1), sent);
        EXPECT_TRUE(machine.in_doubt());
        EXPECT_EQ(machine.on_answer({}, false, t0, 0), finished(Outcome::applied));
        EXPECT_FALSE(machine.in_doubt());
    }
}

TEST(TransactionMachine, RejectionIsFinal) {
    auto machine = machine_for(Marker::made);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::bad_version, false, t0, 0),
              finished(Outcome::not_applied, server_error::bad_version));
    EXPECT_FALSE(machine.in_doubt());
}

TEST(TransactionMachine, LostReplyWithoutMarkerIsNeverSentAgain) {
    for (const auto lost : {server_error::connection_loss, server_error::operation_timeout, server_error::runtime_inconsistency,
                            server_error::session_expired}) {
        auto machine = machine_for(Marker::none);
        machine.start(1);
        EXPECT_EQ(machine.on_answer(lost, false, t0, 0), finished(Outcome::unknown, lost));
    }
}

TEST(TransactionMachine, AnUnsentCommitMayBeSent) {
    auto machine = machine_for(Marker::none, 0);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(error::not_connected, false, t0, 0), TransactionAction{PauseTransaction{0ms}});
    EXPECT_FALSE(machine.in_doubt());
    EXPECT_EQ(machine.on_connected(2), sent);
}

TEST(TransactionMachine, ThrottledIsSentAgainAfterAPause) {
    auto machine = machine_for(Marker::none, 1);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::throttled, false, t0, 0), TransactionAction{PauseTransaction{10ms}});
    EXPECT_FALSE(machine.in_doubt());
    EXPECT_EQ(machine.on_connected(1), sent);
    EXPECT_EQ(machine.on_answer(server_error::throttled, false, t0, 0),
              finished(Outcome::not_applied, server_error::throttled));
}

// ---- reading the marker

TEST(TransactionMachine, MarkerThatMayNotBeReadLeavesTheDoubt) {
    auto machine = in_doubt();
    EXPECT_EQ(machine.on_marker_asked({server_error::no_auth, Finding::nothing}, t0, 0),
              finished(Outcome::unknown, server_error::connection_loss));
}

TEST(TransactionMachine, LostQuestionIsAskedAgain) {
    auto machine = in_doubt();
    EXPECT_EQ(machine.on_marker_asked({server_error::connection_loss, Finding::nothing}, t0, 0),
              TransactionAction{PauseTransaction{10ms}});
    EXPECT_EQ(machine.on_connected(1), asked);
}

TEST(TransactionMachine, ExhaustedRetriesInDoubtStayInDoubt) {
    auto machine = in_doubt(1);
    EXPECT_EQ(machine.on_marker_asked({server_error::connection_loss, Finding::nothing}, t0, 0),
              finished(Outcome::unknown, server_error::connection_loss));
}

TEST(TransactionMachine, ARefusedQuestionLeavesTheDoubt) {
    auto machine = in_doubt(1);
    EXPECT_EQ(machine.on_marker_asked({server_error::throttled, Finding::nothing}, t0, 0),
              finished(Outcome::unknown, server_error::connection_loss));
}

TEST(TransactionMachine, AFoundNothingAfterARefusedQuestionLeavesTheDoubt) {
    for (const error_code refusal : {error_code(server_error::throttled), error_code(error::not_connected)}) {
        auto machine = in_doubt();
        machine.on_marker_asked({refusal, Finding::nothing}, t0, 0);
        EXPECT_EQ(machine.on_connected(1), asked);
        const auto end = machine.on_marker_asked({{}, Finding::nothing}, t0, 0);
        ASSERT_TRUE(std::holds_alternative<FinishTransaction>(end));
        EXPECT_EQ(std::get<FinishTransaction>(end).ec, condition::outcome_unknown) << refusal.message();
    }
}

// ---- the marker itself

TEST(TransactionMachine, AnExistingMarkerWasMadeByARequestWithALostReply) {
    auto machine = machine_for(Marker::missing);
    machine.start(1);
    EXPECT_EQ(machine.on_marker_made(server_error::connection_loss, t0, 0), TransactionAction{PauseTransaction{10ms}});
    EXPECT_EQ(machine.on_connected(1), TransactionAction{MakeMarker{}});
    EXPECT_EQ(machine.on_marker_made(server_error::node_exists, t0, 0), sent);
}

TEST(TransactionMachine, MarkersParentIsMadeWhenItIsMissing) {
    auto machine = machine_for(Marker::missing);
    machine.start(1);
    for (int n = 0; n < 10; ++n) { // the server may have removed the marker
        EXPECT_EQ(machine.on_marker_made(server_error::no_node, t0, 0), (TransactionAction{MakeMarker{.with_parents = true}}));
    }
    EXPECT_EQ(machine.on_marker_made(server_error::no_node, t0, 0), finished(Outcome::not_applied, server_error::no_node));
}

TEST(TransactionMachine, MarkerThatMayNotBeMadeEndsItAtOnce) {
    auto machine = machine_for(Marker::missing);
    machine.start(1);
    machine.on_marker_made(server_error::no_node, t0, 0);
    EXPECT_EQ(machine.on_marker_made(server_error::no_auth, t0, 0), finished(Outcome::not_applied, server_error::no_auth));
}

TEST(TransactionMachine, AMarkerThatWasDeletedBeforeIsReplaced) {
    auto machine = machine_for(Marker::made);
    machine.start(1);
    EXPECT_EQ(machine.on_answer(server_error::no_node, true, t0, 0), (TransactionAction{MakeMarker{.another = true}}));
    EXPECT_EQ(machine.on_marker_made({}, t0, 0), sent);
    for (int n = 1; n < 10; ++n) machine.on_answer(server_error::no_node, true, t0, 0);
    EXPECT_EQ(machine.on_answer(server_error::no_node, true, t0, 0), finished(Outcome::not_applied, server_error::no_node));
}

TEST(TransactionMachine, NewSessionGetsAnotherMarker) {
    auto machine = machine_for(Marker::made);
    machine.start(1);
    machine.on_answer(server_error::throttled, false, t0, 0);
    EXPECT_EQ(machine.on_connected(2), (TransactionAction{MakeMarker{.another = true}}));
    auto making = machine_for(Marker::missing);
    making.start(1);
    making.on_marker_made(server_error::connection_loss, t0, 0);
    EXPECT_EQ(making.on_connected(2), (TransactionAction{MakeMarker{.another = true}}));
}

TEST(TransactionMachine, NextTryInAnotherSessionCanBeRefused) {
    TransactionMachine machine(Marker::none, RetryBudget(RetryPolicy::n_times(3, 10ms).within_session(), t0));
    machine.start(1);
    machine.on_answer(server_error::throttled, false, t0, 0);
    EXPECT_EQ(machine.on_connected(1), sent);
    machine.on_answer(server_error::throttled, false, t0, 0);
    EXPECT_EQ(machine.on_connected(2), finished(Outcome::not_applied, server_error::session_expired));
}

TEST(TransactionMachine, LostReplyStaysInDoubtIfTheNextTryWouldBeInAnotherSession) {
    TransactionMachine machine(Marker::made, RetryBudget(RetryPolicy::n_times(3, 10ms).within_session(), t0));
    machine.start(1);
    machine.on_answer(server_error::connection_loss, false, t0, 0);
    EXPECT_EQ(machine.on_connected(2), finished(Outcome::unknown, server_error::session_expired));
    EXPECT_TRUE(machine.in_doubt());
}

} // namespace
} // namespace docent::detail
