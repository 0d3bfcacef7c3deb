// SPDX-License-Identifier: Apache-2.0
#include "group/persistent_node_machine.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {
namespace persistent_node_story {

constexpr std::int64_t ours = 7;
constexpr std::int64_t next_session = 8;

Stat owned_by(std::int64_t session, std::int32_t version = 0) {
    Stat stat;
    stat.ephemeral_owner = session;
    stat.version = version;
    return stat;
}
const KeepAction nothing = KeepWaiting{};
const KeepAction look = LookAtNode{"/n"};

/// Asked to keep `/n`, and connected.
PersistentNodeMachine connected(bool is_ephemeral = true) {
    PersistentNodeMachine machine("/n", is_ephemeral);
    machine.on_session(true, ours);
    EXPECT_EQ(machine.start(), KeepAction{MakeNode{}});
    return machine;
}
/// The node is there, and watched.
PersistentNodeMachine settled(bool is_ephemeral = true) {
    auto machine = connected(is_ephemeral);
    EXPECT_EQ(machine.on_made({}, "/n", is_ephemeral ? ours : 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(is_ephemeral ? ours : 0)), nothing);
    EXPECT_TRUE(machine.settled());
    return machine;
}

TEST(PersistentNodeMachine, WaitsForAConnection) {
    PersistentNodeMachine machine("/n", true);
    EXPECT_EQ(machine.start(), nothing);
    EXPECT_EQ(machine.on_session(true, ours), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_session(true, ours), nothing) << "that is under way";
}

TEST(PersistentNodeMachine, MakesItAgainWhenSomebodyDeletesIt) {
    auto machine = settled();
    EXPECT_EQ(machine.node_path(), "/n");
    EXPECT_EQ(machine.on_watch_event(), look);
    EXPECT_EQ(machine.on_looked(server_error::no_node, {}), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.node_path(), "");
    EXPECT_FALSE(machine.settled());
}

TEST(PersistentNodeMachine, LooksAgainAfterEachReconnect) {
    auto machine = settled();
    EXPECT_EQ(machine.on_session(false, ours), nothing);
    EXPECT_EQ(machine.node_path(), "/n");
    EXPECT_EQ(machine.on_session(true, ours), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
}

TEST(PersistentNodeMachine, MakesItAgainInAnotherSession) {
    auto machine = settled();
    machine.on_session(false, ours);
    EXPECT_EQ(machine.on_session(true, next_session), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.node_path(), "");
    EXPECT_EQ(machine.on_made({}, "/n", next_session), look);
}

TEST(PersistentNodeMachine, ItsOwnNodeOfTheSessionBeforeIsRemoved) {
    auto machine = settled();
    machine.on_session(true, next_session);
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours, 3)), (KeepAction{RemoveNode{"/n", 3}}));
    EXPECT_EQ(machine.on_removed(), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, SomebodyElsesNodeIsWaitedFor) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.on_data(), nothing) << "it is not touched";
    EXPECT_EQ(machine.on_watch_event(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made({}, "/n", ours), look);
    EXPECT_EQ(machine.obstacle(), error_code{});
}

TEST(PersistentNodeMachine, SomebodyElsesNodeThatHasGoneMeanwhileIsMade) {
    auto machine = connected();
    machine.on_made(server_error::node_exists, "", 0);
    EXPECT_EQ(machine.on_looked(server_error::no_node, {}), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, ANodeThatBecameSomebodyElsesIsNotOurs) {
    auto machine = settled();
    machine.on_watch_event();
    EXPECT_EQ(machine.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(machine.node_path(), "");
}

TEST(PersistentNodeMachine, ANodeWithoutASessionIsTakenOverWithOurData) {
    auto machine = connected(false);
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(0)), KeepAction{WriteNode{"/n"}});
    EXPECT_EQ(machine.on_written({}), nothing);
    EXPECT_TRUE(machine.settled());
    EXPECT_EQ(machine.on_session(true, next_session), look) << "it outlives sessions";
}

TEST(PersistentNodeMachine, WritesOtherData) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), KeepAction{WriteNode{"/n"}});
    EXPECT_FALSE(machine.settled());
    EXPECT_EQ(machine.on_data(), nothing) << "one after the other";
    EXPECT_EQ(machine.on_written({}), KeepAction{WriteNode{"/n"}}) << "that was not the last";
    EXPECT_EQ(machine.on_written({}), nothing);
    EXPECT_TRUE(machine.settled());
}

TEST(PersistentNodeMachine, ANodeThatHasGoneWhenItIsWrittenIsMadeWithThatData) {
    auto machine = settled();
    machine.on_data();
    EXPECT_EQ(machine.on_written(server_error::no_node), KeepAction{MakeNode{}});
    machine.on_made({}, "/n", ours);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
    EXPECT_TRUE(machine.settled());
}

TEST(PersistentNodeMachine, WhatFailsIsTriedAgainAfterAPause) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made(server_error::no_auth, "", 0), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.obstacle(), server_error::no_auth);
    EXPECT_EQ(machine.on_session(true, ours), nothing);
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made({}, "/n", ours), look);
    EXPECT_EQ(machine.on_looked(server_error::connection_loss, {}), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.on_pause_over(), look);
}

TEST(PersistentNodeMachine, ANodeOfASessionThatHasEndedSinceIsMadeAgain) {
    auto machine = connected();
    machine.on_session(true, next_session);
    EXPECT_EQ(machine.on_made({}, "/n", ours), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, CloseRemovesIt) {
    auto machine = settled();
    EXPECT_EQ(machine.close(), KeepAction{RemoveNode{"/n"}});
    EXPECT_EQ(machine.on_session(true, next_session), nothing);
    EXPECT_EQ(machine.on_watch_event(), nothing);
    EXPECT_EQ(machine.close(), nothing);
}

TEST(PersistentNodeMachine, CloseRemovesWhatIsMadeMeanwhile) {
    auto machine = connected();
    EXPECT_EQ(machine.close(), nothing);
    EXPECT_EQ(machine.on_made({}, "/n", ours), KeepAction{RemoveNode{"/n"}});
    auto other = connected();
    other.close();
    EXPECT_EQ(other.on_made(server_error::node_exists, "", 0), nothing);
}

} // namespace persistent_node_story
} // namespace
} // namespace docent::detail
