// SPDX-License-Identifier: Apache-2.0
#include "session/session_machine.hpp"

#include <gtest/gtest.h>

namespace docent::session {
namespace {

using Events = SessionMachine::Events;
using enum SessionState;

const SessionEvent connected_1{connected, 1, 0xa, {}};
const SessionEvent suspended_1{suspended, 1, 0xa, {}};
const SessionEvent presumed_1{lost, 1, 0xa, error::not_connected};
const SessionEvent expired_1{lost, 1, 0xa, server_error::session_expired};
const SessionEvent connected_2{connected, 2, 0xb, {}};

TEST(SessionMachine, ReconnectsWithTheSameSession) {
    SessionMachine machine;
    EXPECT_EQ(machine.last(), SessionEvent{});
    EXPECT_EQ(machine.on_connected(0xa), Events{connected_1});
    EXPECT_EQ(machine.on_disconnected(), Events{suspended_1});
    EXPECT_EQ(machine.on_disconnected(), Events{});
    EXPECT_EQ(machine.on_connected(0xa), Events{connected_1});
}

TEST(SessionMachine, ExpiryComesBeforeTheNewSession) {
    SessionMachine machine;
    machine.on_connected(0xa);
    machine.on_disconnected();
    EXPECT_EQ(machine.on_ended(server_error::session_expired), Events{expired_1});
    EXPECT_EQ(machine.on_connected(0xb), Events{connected_2});
}

TEST(SessionMachine, AnotherSessionInSilenceIsALossToo) {
    SessionMachine machine;
    machine.on_connected(0xa);
    machine.on_disconnected();
    EXPECT_EQ(machine.on_connected(0xb), (Events{expired_1, connected_2}));
}

TEST(SessionMachine, ThePassedBoundIsAPresumedLoss) {
    SessionMachine machine;
    machine.on_connected(0xa);
    machine.on_disconnected();
    EXPECT_EQ(machine.on_bound_passed(), Events{presumed_1});
    EXPECT_EQ(machine.on_bound_passed(), Events{});
    EXPECT_EQ(machine.on_connected(0xa), Events{connected_1}) << "the same session came back: the same epoch";
}

TEST(SessionMachine, PresumedLossIsFollowedByTheCertainOne) {
    SessionMachine machine;
    machine.on_connected(0xa);
    machine.on_disconnected();
    machine.on_bound_passed();
    EXPECT_EQ(machine.on_ended(server_error::session_expired), Events{expired_1});
    EXPECT_EQ(machine.on_connected(0xb), Events{connected_2});
}

TEST(SessionMachine, LateAnswerEndsAPresumedLoss) {
    SessionMachine machine;
    machine.on_connected(0xa);
    EXPECT_EQ(machine.on_answer(), Events{});
    EXPECT_EQ(machine.on_bound_passed(), Events{presumed_1});
    EXPECT_EQ(machine.on_answer(), Events{connected_1});
    machine.on_bound_passed();
    machine.on_disconnected();
    EXPECT_EQ(machine.on_answer(), Events{}) << "an answer from before the disconnection";
}

TEST(SessionMachine, NothingIsLostBeforeTheFirstSession) {
    SessionMachine machine;
    EXPECT_EQ(machine.on_disconnected(), Events{});
    EXPECT_EQ(machine.on_bound_passed(), Events{});
    EXPECT_EQ(machine.on_ended(server_error::session_expired), Events{});
    EXPECT_EQ(machine.on_ended(server_error::auth_failed), (Events{{lost, 0, 0, server_error::auth_failed}}));
}

TEST(SessionMachine, NothingFollowsClosed) {
    SessionMachine machine;
    machine.on_connected(0xa);
    EXPECT_EQ(machine.on_closed(), (Events{{closed, 1, 0xa, {}}}));
    EXPECT_EQ(machine.on_connected(0xb), Events{});
    EXPECT_EQ(machine.on_closed(), Events{});
}

TEST(LossReason, IsTheServersAnswer) {
    EXPECT_EQ(loss_reason({lost, 1, 0xa, server_error::session_expired}, 1), server_error::session_expired);
    EXPECT_EQ(loss_reason({lost, 1, 0xa, server_error::auth_failed}, 1), server_error::auth_failed);
}

TEST(LossReason, OfAPresumedLossIsTheSilence) {
    EXPECT_EQ(loss_reason({lost, 1, 0xa, error::not_connected}, 1), error::not_connected);
    for (const auto state : {connecting, suspended, connected}) { // a holder may notice the loss before the session does
        EXPECT_EQ(loss_reason({state, 1, 0xa, {}}, 1), error::not_connected) << to_string(state);
    }
}

TEST(LossReason, IsTheEndOfTheSessionWhenAnotherOneIsThere) {
    EXPECT_EQ(loss_reason({connected, 2, 0xb, {}}, 1), server_error::session_expired);
    EXPECT_EQ(loss_reason({suspended, 2, 0xb, {}}, 1), server_error::session_expired);
}

TEST(LossReason, IsTheClosedClient) {
    EXPECT_EQ(loss_reason({closed, 1, 0xa, {}}, 1), error::closed);
    EXPECT_EQ(loss_reason({closed, 2, 0xb, {}}, 1), error::closed);
}

} // namespace
} // namespace docent::session
