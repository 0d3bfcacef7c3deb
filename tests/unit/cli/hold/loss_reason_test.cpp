// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/loss/loss_reason.hpp"

#include <docent/error.hpp>

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

void lose_node(LossListener& listener, error_code ec) {
    listener.on_lease({.event = LeaseEvent::lost, .ec = ec});
}
void lose_session(LossListener& listener, error_code reason) {
    listener.on_session_event({.state = SessionState::lost, .reason = reason});
}

TEST(LossReason, IsThatOfTheLeaseWhileTheSessionLives) {
    LossListener listener;
    lose_node(listener, server_error::no_node);
    EXPECT_EQ(listener.reason(), LossReason::node_deleted);
}

TEST(LossReason, IsThatOfTheSessionWhoseEndDeletesNodesToo) {
    LossListener listener;
    lose_node(listener, server_error::no_node);
    lose_session(listener, server_error::session_expired);
    EXPECT_EQ(listener.reason(), LossReason::session_ended);
}

TEST(LossReason, IsTheSilenceThatCameBeforeTheEnd) {
    LossListener listener;
    lose_session(listener, error::not_connected);
    lose_node(listener, server_error::session_expired);
    lose_session(listener, server_error::session_expired);
    EXPECT_EQ(listener.reason(), LossReason::no_answer);
}

TEST(LossReason, ForgetsWhatWasLostBeforeTheGrant) {
    LossListener listener;
    lose_session(listener, server_error::session_expired);
    listener.on_lease({.event = LeaseEvent::granted});
    lose_node(listener, server_error::no_node);
    EXPECT_EQ(listener.reason(), LossReason::node_deleted);
}

TEST(LossReason, IsNotMadeUp) {
    EXPECT_EQ(loss_text(LossListener().reason()), "");
    EXPECT_EQ(loss_text(LossReason::no_answer), ": nothing was heard from a server in time");
    EXPECT_EQ(to_string(LossReason::session_ended), "session_ended");
}

} // namespace
} // namespace docent::cli
