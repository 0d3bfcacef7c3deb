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
    EXPECT_EQ(machine.on_removed({}), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, ARemovalThatIsRefusedIsNotTriedAgainAtOnce) {
    auto machine = settled();
    machine.on_session(true, next_session);
    machine.on_made(server_error::node_exists, "", 0);
    machine.on_looked({}, owned_by(ours));
    EXPECT_EQ(machine.on_removed(server_error::no_auth), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.obstacle(), server_error::node_exists) << "it goes with its session at the latest";
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    machine.on_made(server_error::node_exists, "", 0);
    machine.on_looked({}, owned_by(ours));
    EXPECT_EQ(machine.on_removed(server_error::bad_version), KeepAction{MakeNode{}}) << "it has changed: look again";
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

TEST(PersistentNodeMachine, AnotherObjectsNodeOfOurSessionIsWaitedForToo) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.on_watch_event(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
    EXPECT_EQ(machine.close(), nothing) << "nor removed";
}

TEST(PersistentNodeMachine, ANodeThatIsThereAfterALostReplyIsOurs) {
    auto machine = connected();
    machine.on_made(server_error::connection_loss, "", 0);
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), KeepAction{WriteNode{"/n"}});
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

TEST(PersistentNodeMachine, ANodeWithAnOwnerIsNotTakenOverByOneWithout) {
    auto machine = connected(false);
    machine.on_made(server_error::node_exists, "", 0);
    EXPECT_EQ(machine.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.close(), nothing) << "nor removed";
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

TEST(PersistentNodeMachine, CloseRemovesWhatMayHaveBeenMadeWithoutItsKnowing) {
    const auto doubtful = [](bool is_ephemeral = true, bool has_that_name = true) {
        PersistentNodeMachine machine("/n", is_ephemeral, has_that_name);
        machine.on_session(true, ours);
        machine.start();
        EXPECT_EQ(machine.on_made(server_error::connection_loss, "", 0), KeepAction{PauseKeeping{}});
        return machine;
    };
    auto pausing = doubtful();
    EXPECT_EQ(pausing.close(), look);
    EXPECT_EQ(pausing.on_looked({}, owned_by(ours)), KeepAction{RemoveNode{"/n"}});

    auto others = doubtful();
    others.close();
    EXPECT_EQ(others.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(others.node_path(), "");

    auto making = doubtful();
    making.on_pause_over();
    EXPECT_EQ(making.close(), nothing) << "the answer is on its way";
    EXPECT_EQ(making.on_made(server_error::node_exists, "", 0), look);
    EXPECT_EQ(making.on_looked({}, owned_by(ours)), KeepAction{RemoveNode{"/n"}});

    auto looking = doubtful();
    looking.on_pause_over();
    looking.on_made(server_error::node_exists, "", 0);
    EXPECT_EQ(looking.close(), nothing);
    EXPECT_EQ(looking.on_looked({}, owned_by(ours)), KeepAction{RemoveNode{"/n"}});

    auto last = connected();
    last.close();
    EXPECT_EQ(last.on_made(server_error::connection_loss, "", 0), look);
    EXPECT_EQ(last.on_looked(server_error::connection_loss, {}), nothing) << "it goes with its session";

    auto later = doubtful();
    later.on_session(true, next_session);
    EXPECT_EQ(later.close(), nothing) << "it has gone with its session";
    EXPECT_EQ(doubtful(false).close(), nothing) << "one without an owner may be anybody's";
    EXPECT_EQ(doubtful(true, false).close(), nothing) << "one with another name is searched for by its guid";
}

} // namespace persistent_node_story
} // namespace
} // namespace docent::detail
