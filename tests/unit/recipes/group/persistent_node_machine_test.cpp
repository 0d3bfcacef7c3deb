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
    stat.czxid = 40;
    stat.ephemeral_owner = session;
    stat.version = version;
    return stat;
}
const KeepAction nothing = KeepWaiting{};
const KeepAction look = LookAtNode{"/n"};

KeepAction write(std::int32_t version) {
    return WriteNode{"/n", version};
}
KeepAction remove(std::int32_t version) {
    return RemoveNode{"/n", version};
}
/// The stat of another node in the place of the first.
Stat replaced_by(std::int64_t session) {
    Stat stat = owned_by(session);
    stat.czxid = 50;
    return stat;
}

/// A connected machine that keeps `/n`.
PersistentNodeMachine connected(bool is_ephemeral = true) {
    PersistentNodeMachine machine("/n", is_ephemeral);
    machine.on_session(true, ours);
    EXPECT_EQ(machine.start(), KeepAction{MakeNode{}});
    return machine;
}
/// A machine whose node exists and is watched.
PersistentNodeMachine settled(bool is_ephemeral = true) {
    auto machine = connected(is_ephemeral);
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(is_ephemeral ? ours : 0)), look);
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

TEST(PersistentNodeMachine, MakesItAgainAfterADeletion) {
    auto machine = settled();
    EXPECT_EQ(machine.node_path(), "/n");
    EXPECT_EQ(machine.on_watch_event(), look);
    EXPECT_EQ(machine.on_looked(server_error::no_node, {}), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.node_path(), "");
    EXPECT_FALSE(machine.settled());
}

TEST(PersistentNodeMachine, ADeletionThatIsReportedNeedsNoLook) {
    auto machine = settled();
    EXPECT_EQ(machine.on_deleted(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.node_path(), "");
    auto waits = connected();
    waits.on_made(server_error::node_exists, "", {});
    waits.on_looked({}, owned_by(99));
    EXPECT_EQ(waits.on_deleted(), KeepAction{MakeNode{}}) << "the node in the way";
    auto writing = settled();
    writing.on_data();
    EXPECT_EQ(writing.on_deleted(), nothing) << "one after the other";
    EXPECT_EQ(writing.on_written(server_error::no_node, {}), KeepAction{MakeNode{}});
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
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(next_session)), look);
}

TEST(PersistentNodeMachine, ItsOwnNodeOfTheSessionBeforeIsRemoved) {
    auto machine = settled();
    machine.on_session(true, next_session);
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours, 3)), remove(3));
    EXPECT_EQ(machine.on_removed({}), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, ItsOwnNodeIsRemovedAlsoIfItsCreateWentOnInALaterSession) {
    auto machine = connected();
    machine.on_session(false, ours);
    EXPECT_EQ(machine.on_session(true, next_session), nothing) << "the create goes on";
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(next_session)), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(next_session)), nothing);
    machine.on_session(true, next_session + 1);
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(next_session, 3)), remove(3));
}

TEST(PersistentNodeMachine, ARemovalThatIsRefusedIsNotTriedAgainAtOnce) {
    auto machine = settled();
    machine.on_session(true, next_session);
    machine.on_made(server_error::node_exists, "", {});
    machine.on_looked({}, owned_by(ours));
    EXPECT_EQ(machine.on_removed(server_error::no_auth), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.obstacle(), server_error::node_exists) << "it goes with its session at the latest";
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    machine.on_made(server_error::node_exists, "", {});
    machine.on_looked({}, owned_by(ours));
    EXPECT_EQ(machine.on_removed(server_error::bad_version), KeepAction{MakeNode{}}) << "it has changed: look again";
}

TEST(PersistentNodeMachine, WaitsForTheEndOfAForeignNode) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.on_data(), nothing) << "it is not touched";
    EXPECT_EQ(machine.on_watch_event(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(ours)), look);
    EXPECT_EQ(machine.obstacle(), error_code{});
}

TEST(PersistentNodeMachine, AnotherObjectsNodeOfOurSessionIsWaitedForToo) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.on_watch_event(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
    EXPECT_EQ(machine.close(), nothing) << "nor removed";
}

TEST(PersistentNodeMachine, AnExistingNodeAfterALostReplyIsItsOwn) {
    auto machine = connected();
    machine.on_made(server_error::connection_loss, "", {});
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), write(0));
}

TEST(PersistentNodeMachine, ANodeThatIsThereAfterALostReplyMayBeAnotherObjects) {
    auto machine = connected();
    machine.on_made(server_error::connection_loss, "", {});
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    auto closed = machine;
    EXPECT_EQ(machine.on_looked({}, owned_by(ours), true), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.close(), nothing) << "nor removed";
    EXPECT_EQ(closed.close(), nothing) << "that is under way";
    EXPECT_EQ(closed.on_looked({}, owned_by(ours), true), nothing);
    EXPECT_FALSE(closed.has_to_remove());
}

TEST(PersistentNodeMachine, DataThatMayBeAnotherObjectsIsWrittenAgain) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(ours), false), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), write(0));
    EXPECT_FALSE(machine.settled());
}

TEST(PersistentNodeMachine, AForeignNodeThatIsGoneMeanwhileIsReplaced) {
    auto machine = connected();
    machine.on_made(server_error::node_exists, "", {});
    EXPECT_EQ(machine.on_looked(server_error::no_node, {}), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, ANodeThatAnotherClientReplacedIsForeign) {
    auto machine = settled();
    machine.on_watch_event();
    EXPECT_EQ(machine.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(machine.node_path(), "");
}

TEST(PersistentNodeMachine, ANodeWithoutASessionIsTakenOverWithOurData) {
    auto machine = connected(false);
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(0)), write(0));
    EXPECT_EQ(machine.on_written({}, owned_by(0, 1)), nothing);
    EXPECT_TRUE(machine.settled());
    EXPECT_EQ(machine.on_session(true, next_session), look) << "it outlives sessions";
}

TEST(PersistentNodeMachine, ANodeWithAnOwnerIsNotTakenOverByOneWithout) {
    auto machine = connected(false);
    machine.on_made(server_error::node_exists, "", {});
    EXPECT_EQ(machine.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.close(), nothing) << "nor removed";
}

TEST(PersistentNodeMachine, WritesOtherData) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), write(0));
    EXPECT_FALSE(machine.settled());
    EXPECT_EQ(machine.on_data(), nothing) << "one after the other";
    EXPECT_EQ(machine.on_written({}, owned_by(ours, 1)), write(1)) << "that was not the last";
    EXPECT_EQ(machine.on_written({}, owned_by(ours, 2)), nothing);
    EXPECT_TRUE(machine.settled());
}

TEST(PersistentNodeMachine, ANodeThatHasGoneWhenItIsWrittenIsMadeWithThatData) {
    auto machine = settled();
    machine.on_data();
    EXPECT_EQ(machine.on_written(server_error::no_node, {}), KeepAction{MakeNode{}});
    machine.on_made({}, "/n", owned_by(ours));
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), nothing);
    EXPECT_TRUE(machine.settled());
}

TEST(PersistentNodeMachine, AFailureIsRetriedAfterAPause) {
    auto machine = connected();
    EXPECT_EQ(machine.on_made(server_error::no_auth, "", {}), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.obstacle(), server_error::no_auth);
    EXPECT_EQ(machine.on_session(true, ours), nothing);
    EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(ours)), look);
    EXPECT_EQ(machine.on_looked(server_error::connection_loss, {}), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.on_pause_over(), look);
}

TEST(PersistentNodeMachine, ANodeOfASessionThatHasEndedSinceIsMadeAgain) {
    auto machine = connected();
    machine.on_session(true, next_session);
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(ours)), KeepAction{MakeNode{}});
}

// ---- a foreign node in its place

TEST(PersistentNodeMachine, AForeignNodeInItsPlaceIsNotWrittenTo) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), write(0));
    EXPECT_EQ(machine.on_written(server_error::bad_version, {}), look);
    EXPECT_EQ(machine.on_looked({}, replaced_by(99)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
    EXPECT_EQ(machine.node_path(), "");
    EXPECT_EQ(machine.close(), nothing) << "nor removed";
}

TEST(PersistentNodeMachine, AForeignNodeOfTheSameVersionIsKnownByItsStat) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), write(0));
    EXPECT_EQ(machine.on_written({}, replaced_by(99)), look);
    EXPECT_FALSE(machine.settled());
    EXPECT_EQ(machine.on_looked({}, replaced_by(99)), nothing);
    EXPECT_EQ(machine.on_watch_event(), KeepAction{MakeNode{}});
}

TEST(PersistentNodeMachine, ANodeOfAnotherObjectOfTheSessionIsForeign) {
    auto machine = settled();
    EXPECT_EQ(machine.on_watch_event(), look);
    EXPECT_EQ(machine.on_looked({}, replaced_by(ours)), nothing);
    EXPECT_EQ(machine.obstacle(), server_error::node_exists);
}

TEST(PersistentNodeMachine, ANodeWithoutASessionInItsPlaceGetsOurDataAgain) {
    auto machine = settled(false);
    EXPECT_EQ(machine.on_watch_event(), look);
    EXPECT_EQ(machine.on_looked({}, replaced_by(0)), write(0));
    EXPECT_FALSE(machine.settled());
}

TEST(PersistentNodeMachine, WhatSomebodyHasWrittenStaysUntilOtherDataIsWanted) {
    auto machine = settled();
    EXPECT_EQ(machine.on_watch_event(), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours, 5)), nothing);
    EXPECT_EQ(machine.on_data(), write(5));
}

TEST(PersistentNodeMachine, ALostReplyOfAWriteIsLookedAtBeforeItIsWrittenAgain) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), write(0));
    machine.on_session(false, ours);
    EXPECT_EQ(machine.on_written(server_error::connection_loss, {}), look);
    machine.on_session(true, ours);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours, 1)), write(1)) << "nobody knows what it has";
    EXPECT_EQ(machine.on_written({}, owned_by(ours, 2)), nothing);
    EXPECT_TRUE(machine.settled());
}

// ---- the end

TEST(PersistentNodeMachine, CloseRemovesIt) {
    auto machine = settled();
    EXPECT_EQ(machine.close(), remove(0));
    EXPECT_EQ(machine.node_path(), "");
    EXPECT_TRUE(machine.has_to_remove());
    EXPECT_EQ(machine.on_watch_event(), nothing);
    EXPECT_EQ(machine.close(), nothing);
    EXPECT_EQ(machine.on_removed({}), nothing);
    EXPECT_FALSE(machine.has_to_remove());
    EXPECT_EQ(machine.on_session(true, next_session), nothing);
}

TEST(PersistentNodeMachine, CloseDoesNotRemoveWhatIsInItsPlace) {
    auto machine = settled();
    EXPECT_EQ(machine.close(), remove(0));
    EXPECT_EQ(machine.on_removed(server_error::bad_version), look);
    auto changed = machine;
    EXPECT_EQ(machine.on_looked({}, replaced_by(99)), nothing);
    EXPECT_FALSE(machine.has_to_remove());
    EXPECT_EQ(changed.on_looked({}, owned_by(ours, 5)), remove(5)) << "somebody has only written to it";
}

TEST(PersistentNodeMachine, ARemovalWhoseReplyWasLostLooksBeforeItRemovesAgain) {
    for (const bool is_ephemeral : {true, false}) {
        auto machine = settled(is_ephemeral);
        EXPECT_EQ(machine.close(), remove(0));
        EXPECT_EQ(machine.on_removed(server_error::connection_loss), look);
        auto replaced = machine;
        EXPECT_EQ(machine.on_looked({}, owned_by(is_ephemeral ? ours : 0)), remove(0));
        EXPECT_EQ(replaced.on_looked({}, replaced_by(is_ephemeral ? 99 : 0)), nothing) << "it had been removed";
        EXPECT_FALSE(replaced.has_to_remove());
    }
}

TEST(PersistentNodeMachine, WithoutAConnectionItIsRemovedOnTheNextOne) {
    auto machine = settled();
    machine.on_session(false, ours);
    EXPECT_EQ(machine.close(), remove(0));
    EXPECT_EQ(machine.on_removed(error::not_connected), look);
    EXPECT_EQ(machine.on_looked(error::not_connected, {}), nothing);
    EXPECT_TRUE(machine.has_to_remove());
    auto another = machine;
    EXPECT_EQ(machine.on_session(true, ours), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours)), remove(0));
    EXPECT_EQ(another.on_session(true, next_session), nothing) << "it has gone with its session";
    EXPECT_FALSE(another.has_to_remove());
}

TEST(PersistentNodeMachine, CloseWhileItIsWrittenRemovesItThen) {
    auto machine = settled();
    machine.on_data();
    EXPECT_EQ(machine.close(), nothing);
    auto lost = machine;
    EXPECT_EQ(machine.on_written({}, owned_by(ours, 1)), remove(1));
    EXPECT_EQ(lost.on_written(server_error::connection_loss, {}), look);
    EXPECT_EQ(lost.on_looked({}, owned_by(ours, 1)), remove(1));
}

TEST(PersistentNodeMachine, CloseWhileItIsLookedAtRemovesItThen) {
    auto machine = settled();
    machine.on_watch_event();
    EXPECT_EQ(machine.close(), nothing);
    auto replaced = machine;
    EXPECT_EQ(machine.on_looked({}, owned_by(ours, 2)), remove(2));
    EXPECT_EQ(replaced.on_looked({}, replaced_by(99)), nothing);
}

TEST(PersistentNodeMachine, CloseRemovesWhatIsMadeMeanwhile) {
    auto machine = connected();
    EXPECT_EQ(machine.close(), nothing);
    EXPECT_EQ(machine.on_made({}, "/n", owned_by(ours)), remove(0));
    auto other = connected();
    other.close();
    EXPECT_EQ(other.on_made(server_error::node_exists, "", {}), nothing);
}

/// Whether the end comes before or after the node is found makes no difference.
TEST(PersistentNodeMachine, CloseRemovesANodeWithoutASessionThatWasThereBefore) {
    const Stat found = owned_by(0, 3);
    auto while_made = connected(false);
    EXPECT_EQ(while_made.close(), nothing);
    EXPECT_EQ(while_made.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(while_made.on_looked({}, found), remove(3));

    auto while_looked_at = connected(false);
    EXPECT_EQ(while_looked_at.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(while_looked_at.close(), nothing);
    EXPECT_EQ(while_looked_at.on_looked({}, found), remove(3));

    auto taken_over = connected(false);
    taken_over.on_made(server_error::node_exists, "", {});
    EXPECT_EQ(taken_over.on_looked({}, found), write(3));
    EXPECT_EQ(taken_over.close(), nothing);
    EXPECT_EQ(taken_over.on_written({}, owned_by(0, 4)), remove(4));
}

TEST(PersistentNodeMachine, CloseLeavesANodeWithASessionThatWasThereBefore) {
    auto while_made = connected(false);
    while_made.close();
    while_made.on_made(server_error::node_exists, "", {});
    EXPECT_EQ(while_made.on_looked({}, owned_by(99)), nothing);
    EXPECT_FALSE(while_made.has_to_remove());

    auto ephemeral = connected();
    ephemeral.on_made(server_error::node_exists, "", {});
    ephemeral.close();
    EXPECT_EQ(ephemeral.on_looked({}, owned_by(0)), nothing) << "nor does an ephemeral one take it over";
}

TEST(PersistentNodeMachine, CloseBeforeTheNodeWasLookedForLeavesWhatIsThere) {
    PersistentNodeMachine machine("/n", false);
    EXPECT_EQ(machine.start(), nothing);
    EXPECT_EQ(machine.close(), nothing);
    EXPECT_EQ(machine.on_session(true, ours), nothing);
    EXPECT_FALSE(machine.has_to_remove());
}

TEST(PersistentNodeMachine, CloseRemovesWhatMayHaveBeenMadeWithoutItsKnowing) {
    const auto doubtful = [](bool is_ephemeral = true, bool has_that_name = true) {
        PersistentNodeMachine machine("/n", is_ephemeral, has_that_name);
        machine.on_session(true, ours);
        machine.start();
        EXPECT_EQ(machine.on_made(server_error::connection_loss, "", {}), KeepAction{PauseKeeping{}});
        return machine;
    };
    auto pausing = doubtful();
    EXPECT_EQ(pausing.close(), look);
    EXPECT_EQ(pausing.on_looked({}, owned_by(ours)), remove(0));

    auto others = doubtful();
    others.close();
    EXPECT_EQ(others.on_looked({}, owned_by(99)), nothing);
    EXPECT_EQ(others.node_path(), "");

    auto making = doubtful();
    making.on_pause_over();
    EXPECT_EQ(making.close(), nothing) << "the answer is on its way";
    EXPECT_EQ(making.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(making.on_looked({}, owned_by(ours)), remove(0));

    auto looking = doubtful();
    looking.on_pause_over();
    looking.on_made(server_error::node_exists, "", {});
    EXPECT_EQ(looking.close(), nothing);
    EXPECT_EQ(looking.on_looked({}, owned_by(ours)), remove(0));

    auto last = connected();
    last.close();
    EXPECT_EQ(last.on_made(server_error::connection_loss, "", {}), look);
    EXPECT_EQ(last.on_looked(server_error::connection_loss, {}), nothing) << "on the next connection";
    EXPECT_EQ(last.on_session(true, ours), look);
    EXPECT_EQ(last.on_looked({}, owned_by(ours)), remove(0));

    auto later = doubtful();
    later.on_session(true, next_session);
    EXPECT_EQ(later.close(), nothing) << "it has gone with its session";
    EXPECT_EQ(doubtful(false).close(), nothing) << "one without an owner may be anybody's";
    EXPECT_EQ(doubtful(true, false).close(), nothing) << "one with another name is searched for by its guid";
}

TEST(PersistentNodeMachine, ARefusedCreateLeavesTheDoubtOfAnEarlierOne) {
    for (const auto refusal : {server_error::throttled, server_error::session_moved, server_error::no_auth}) {
        auto machine = connected();
        EXPECT_EQ(machine.on_made(server_error::connection_loss, "", {}), KeepAction{PauseKeeping{}});
        EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
        EXPECT_EQ(machine.on_made(refusal, "", {}), KeepAction{PauseKeeping{}});
        auto closed = machine;
        EXPECT_EQ(closed.close(), look);
        EXPECT_EQ(machine.on_pause_over(), KeepAction{MakeNode{}});
        EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
        EXPECT_EQ(machine.on_looked({}, owned_by(ours)), write(0));
    }
}

// ---- nodes that may not be read

TEST(PersistentNodeMachine, ANodeOfItsOwnThatMayNotBeReadIsThere) {
    auto machine = settled();
    EXPECT_EQ(machine.on_watch_event(), look);
    EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), nothing);
    EXPECT_TRUE(machine.settled());
    EXPECT_EQ(machine.obstacle(), error_code{});
    EXPECT_EQ(machine.on_data(), write(0));
}

TEST(PersistentNodeMachine, AnUnreadableNodeInThePlaceOfItsDeletedNodeIsForeign) {
    auto machine = settled();
    EXPECT_EQ(machine.on_deleted(), KeepAction{MakeNode{}});
    EXPECT_EQ(machine.on_made(server_error::node_exists, "", {}), look);
    EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.obstacle(), server_error::no_auth);
    EXPECT_EQ(machine.node_path(), "");
    EXPECT_EQ(machine.close(), nothing) << "it is not removed";
    EXPECT_FALSE(machine.has_to_remove());
}

TEST(PersistentNodeMachine, AnUnreadableNodeThatHasChangedIsNotWrittenToBeforeItIsRead) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), write(0));
    EXPECT_EQ(machine.on_written(server_error::bad_version, {}), look);
    EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), KeepAction{PauseKeeping{}});
    EXPECT_EQ(machine.obstacle(), server_error::no_auth);
    EXPECT_FALSE(machine.settled());
    EXPECT_EQ(machine.on_pause_over(), look);
    EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), KeepAction{PauseKeeping{}});
    auto closed = machine;
    EXPECT_EQ(closed.close(), look);
    EXPECT_EQ(closed.on_looked(server_error::no_auth, {}), nothing) << "it may be another client's";
    EXPECT_FALSE(closed.has_to_remove());
    EXPECT_EQ(machine.on_pause_over(), look);
    EXPECT_EQ(machine.on_looked({}, owned_by(ours, 5)), write(5));
    EXPECT_EQ(machine.on_written({}, owned_by(ours, 6)), nothing);
    EXPECT_TRUE(machine.settled());
    EXPECT_EQ(machine.close(), remove(6));
}

TEST(PersistentNodeMachine, AnUnreadableNodeOfTheSameVersionIsKnownByTheStatOfAWrite) {
    auto machine = settled();
    EXPECT_EQ(machine.on_data(), write(0));
    EXPECT_EQ(machine.on_written({}, replaced_by(99)), look);
    EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), KeepAction{PauseKeeping{}}) << "it is not written to again";
    EXPECT_EQ(machine.close(), look);
    EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), nothing) << "nor removed";
    EXPECT_FALSE(machine.has_to_remove());
}

TEST(PersistentNodeMachine, ANodeThatWasFoundByItsGuidAndNotReadIsItsOwn) {
    PersistentNodeMachine found("/n", true, false);
    found.on_session(true, ours);
    found.start();
    Stat unread;
    unread.ephemeral_owner = ours;
    EXPECT_EQ(found.on_made({}, "/n", unread, true), look);
    auto closed = found;
    EXPECT_EQ(closed.close(), nothing);
    EXPECT_EQ(closed.on_looked({}, owned_by(ours, 2)), remove(2));
    auto read = found;
    EXPECT_EQ(read.on_looked({}, owned_by(ours)), nothing);
    EXPECT_TRUE(read.settled());
    EXPECT_EQ(found.on_looked(server_error::no_auth, {}), nothing);
    EXPECT_EQ(found.on_data(), write(0));
    EXPECT_EQ(found.on_written({}, owned_by(ours, 1)), nothing);
    EXPECT_TRUE(found.settled());
    EXPECT_EQ(found.on_data(), write(1));
    EXPECT_EQ(found.on_written({}, replaced_by(99)), look) << "that is another node";
}

TEST(PersistentNodeMachine, CloseRemovesANodeThatMayNotBeReadByItsVersion) {
    auto looked_at = settled();
    looked_at.on_watch_event();
    EXPECT_EQ(looked_at.close(), nothing);
    EXPECT_EQ(looked_at.on_looked(server_error::no_auth, {}), remove(0));
    EXPECT_EQ(looked_at.on_removed({}), nothing);
    EXPECT_FALSE(looked_at.has_to_remove());

    auto written = settled();
    written.on_data();
    EXPECT_EQ(written.close(), nothing);
    EXPECT_EQ(written.on_written(server_error::connection_loss, {}), look);
    EXPECT_EQ(written.on_looked(server_error::no_auth, {}), remove(0)) << "perhaps it was not written";
    EXPECT_EQ(written.on_removed(server_error::bad_version), look) << "it was";
    EXPECT_EQ(written.on_looked(server_error::no_auth, {}), nothing);
    EXPECT_FALSE(written.has_to_remove());

    for (const bool is_ephemeral : {true, false}) {
        auto cut_off = settled(is_ephemeral);
        cut_off.on_session(false, ours);
        EXPECT_EQ(cut_off.close(), remove(0));
        EXPECT_EQ(cut_off.on_removed(error::not_connected), look);
        EXPECT_EQ(cut_off.on_looked(error::not_connected, {}), nothing);
        EXPECT_EQ(cut_off.on_session(true, ours), look);
        EXPECT_EQ(cut_off.on_looked(server_error::no_auth, {}), remove(0)) << "that was not sent before";
        EXPECT_EQ(cut_off.on_removed(server_error::session_moved), look);
        EXPECT_EQ(cut_off.on_looked(server_error::no_auth, {}), remove(0)) << "nor applied";
        EXPECT_EQ(cut_off.on_removed({}), nothing);
    }
}

TEST(PersistentNodeMachine, AfterALostRemovalANodeThatMayNotBeReadMayBeAnotherClients) {
    for (const bool is_ephemeral : {true, false}) {
        auto machine = settled(is_ephemeral);
        EXPECT_EQ(machine.close(), remove(0));
        EXPECT_EQ(machine.on_removed(server_error::connection_loss), look);
        EXPECT_EQ(machine.on_looked(error::not_connected, {}), nothing);
        EXPECT_EQ(machine.on_session(true, ours), look);
        auto readable = machine;
        EXPECT_EQ(machine.on_looked(server_error::no_auth, {}), nothing) << "with the same version";
        EXPECT_FALSE(machine.has_to_remove());
        EXPECT_EQ(machine.on_session(true, ours), nothing);

        EXPECT_EQ(readable.on_looked({}, owned_by(is_ephemeral ? ours : 0, 4)), remove(4)) << "its Stat shows whose it is";
        EXPECT_EQ(readable.on_removed(error::not_connected), look);
        EXPECT_EQ(readable.on_looked(server_error::no_auth, {}), remove(4)) << "it has not been removed since";
    }
}

} // namespace persistent_node_story
} // namespace
} // namespace docent::detail
