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

} // namespace
} // namespace docent::session
