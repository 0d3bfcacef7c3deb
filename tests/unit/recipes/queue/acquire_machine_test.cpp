// SPDX-License-Identifier: Apache-2.0
#include "acquire_story.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using enum server_error;

constexpr auto data_changed = WatchEventType::data_changed;

// ---- a free lock

TEST(AcquireMachine, TakesAFreeLockInOneRoundTrip) {
    AcquireStory story;
    EXPECT_EQ(story.start(connected()), actions(Enter{"g1"}));
    EXPECT_EQ(story.on_entered(entered({own})), actions(grant(false)));
}

TEST(AcquireMachine, IgnoresStrayChildren) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(entered({"0", "locks", own, "lock-0"})), actions(grant(false)));
}

TEST(AcquireMachine, AfterAGrantNothingHappens) {
    auto story = entering();
    story->on_entered(entered({own}));
    EXPECT_EQ(story->finish(error::not_connected), actions());
    EXPECT_EQ(story->finish(error::not_acquired), actions());
    EXPECT_EQ(story->on_session(expired()), actions());
    EXPECT_EQ(story->on_own_event(deleted), actions());
    EXPECT_EQ(story->on_no_session(), actions());
    EXPECT_EQ(story->on_paused(), actions());
    EXPECT_EQ(story->on_listed({}, {own}), actions());
}

// ---- parents

TEST(AcquireMachine, MakesReapedParentsAgainTenTimes) {
    auto story = entering();
    for (int n = 0; n < 10; ++n) EXPECT_EQ(story->on_entered(not_entered(no_node)), actions(Enter{"g1", true}));
    EXPECT_EQ(story->on_entered(not_entered(no_node)), actions(Fail{no_node}));
}

TEST(AcquireMachine, ParentsThatMayNotBeMadeEndItAtOnce) {
    auto story = entering();
    story->on_entered(not_entered(no_node));
    EXPECT_EQ(story->on_entered(not_entered(no_auth)), actions(Fail{no_auth}));
}

// ---- waiting

TEST(AcquireMachine, DeletionOfTheOnlyPredecessorGrantsTheLock) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(entered({next, own})), actions(WatchOwn{own}, WatchAhead{next}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions());
    EXPECT_EQ(story->on_ahead_read({}), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

/// The end of a session deletes both nodes in one transaction, and the two events arrive in any order.
TEST(AcquireMachine, TheDeletionOfOneOfOurOwnSessionIsAReadOfOurNode) {
    auto story = setting_watches();
    story->on_own_read({}, own_stat());
    EXPECT_EQ(story->on_ahead_read({}, first_session), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions(grant(true)));
}

/// The predecessor's owner is unknown: it may be the attempt's own session.
TEST(AcquireMachine, AnUnreadablePredecessorIsAwaited) {
    auto story = setting_watches();
    story->on_own_read({}, own_stat());
    EXPECT_EQ(story->on_ahead_read(no_auth), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions(grant(true)));
}

TEST(AcquireMachine, AReadAdmitsNoWaiterWithoutAConnection) {
    auto story = proving();
    story->on_session(suspended());
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions());
    EXPECT_EQ(story->on_session(connected()), actions(List{}));
}

TEST(AcquireMachine, ListsAndWatchesTheNearestAfterTheSecondNearestIsDeleted) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(entered({other, next, own})), actions(WatchOwn{own}, WatchAhead{other}));
    story->on_own_read({}, own_stat());
    story->on_ahead_read({});
    EXPECT_EQ(story->on_ahead_event(deleted), actions(Look{own}));
    EXPECT_EQ(story->on_looked({}), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {next, own}), actions(WatchAhead{next})); // the watch on the attempt's node is still set
    story->on_ahead_read({});
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

TEST(AcquireMachine, OneAheadThatIsGoneWhenReadIsTheGrant) {
    auto story = setting_watches();
    story->on_own_read({}, own_stat());
    EXPECT_EQ(story->on_ahead_read(no_node), actions(grant(true)));
}

TEST(AcquireMachine, AMissingSecondNearestCausesAList) {
    auto story = entering();
    story->on_entered(entered({other, next, own}));
    story->on_own_read({}, own_stat());
    EXPECT_EQ(story->on_ahead_read(no_node), actions(Look{own}));
    EXPECT_EQ(story->on_looked({}), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {own}), actions(grant(true)));
}

TEST(AcquireMachine, TryingOnceDoesNotWait) {
    auto story = entering(WaitMode::tries_once);
    EXPECT_EQ(story->on_entered(entered({next, own})), actions(Remove{own}, Fail{error::not_acquired}));
}

TEST(AcquireMachine, TryingOnceTakesAFreeLock) {
    auto story = entering(WaitMode::tries_once);
    EXPECT_EQ(story->on_entered(entered({own})), actions(grant(false)));
}

// ---- data changes and our own node

TEST(AcquireMachine, AChangeOfThePredecessorIsWatchedAgain) {
    auto story = parked();
    EXPECT_EQ(story->on_ahead_event(data_changed), actions(WatchAhead{next}));
    EXPECT_EQ(story->on_ahead_read({}), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

TEST(AcquireMachine, ThePredecessorMayGoWhileItIsWatchedAgain) {
    auto story = parked();
    story->on_ahead_event(data_changed);
    EXPECT_EQ(story->on_ahead_read(no_node), actions(grant(true)));
}

TEST(AcquireMachine, AChangeOfOurOwnNodeIsWatchedAgain) {
    auto story = parked();
    EXPECT_EQ(story->on_own_event(data_changed), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

TEST(AcquireMachine, WithoutAWatchOnOurOwnNodeAnEventIsNoProof) {
    auto story = parked();
    EXPECT_EQ(story->on_own_event(data_changed), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_ahead_event(deleted), actions(List{}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions());
    EXPECT_EQ(story->on_listed({}, {own}), actions(grant(true)));
}

TEST(AcquireMachine, AListProvesMoreThanAMissingWatch) {
    auto story = parked();
    story->on_own_event(data_changed);
    story->on_ahead_event(deleted);
    EXPECT_EQ(story->on_listed({}, {own}), actions(grant(false))); // the lease sets its own watch
}

TEST(AcquireMachine, AMissingParentMeansThatOurNodeWasDeleted) {
    auto story = listing();
    EXPECT_EQ(story->on_listed(no_node, {}), actions(Fail{error::lock_node_deleted}));
}

TEST(AcquireMachine, AForeignNodeWithTheSameNameIsNotTaken) {
    for (auto& story : {setting_watches(), proving()})
        EXPECT_EQ(story->on_own_read({}, own_stat(first_session, own_czxid + 1)), actions(Fail{error::lock_node_deleted}));
}

TEST(AcquireMachine, ANodeWithoutAUsableNumberIsRemoved) { // the parent's sequence numbers are used up
    for (const std::string name : {"_c_g1-lock-2147483647", "_c_g1-lock--2147483648"}) {
        auto story = entering();
        auto last = entered({name});
        last.name = name;
        EXPECT_EQ(story->on_entered(last), actions(Remove{name}, Fail{error::numbers_used_up}));
        auto lost_reply = finding();
        EXPECT_EQ(lost_reply->on_found({}, {name}), actions(WatchOwn{name}));
        EXPECT_EQ(lost_reply->on_own_read({}, own_stat()), actions(Remove{name}, Fail{error::numbers_used_up}));
    }
}

// ---- errors

TEST(AcquireMachine, ARefusedCreateLeavesNothingToRemove) {
    EXPECT_EQ(entering()->on_entered(not_entered(no_auth)), actions(Fail{no_auth}));
    EXPECT_EQ(entering()->on_entered(not_entered(invalid_acl)), actions(Fail{invalid_acl}));
    EXPECT_EQ(entering()->on_entered(not_entered(error::closed)), actions(Fail{error::closed}));
}

TEST(AcquireMachine, ARefusedListLeavesANode) {
    auto refused = entered({});
    refused.list = no_auth;
    EXPECT_EQ(entering()->on_entered(refused), actions(Remove{own}, Fail{no_auth}));
    EXPECT_EQ(listing()->on_listed(no_auth, {}), actions(Remove{own}, Fail{no_auth}));
}

TEST(AcquireMachine, ARefusedSearchLeavesANodePerhaps) {
    EXPECT_EQ(finding()->on_found(no_auth, {}), actions(RemoveProtected{"g1"}, Fail{no_auth}));
}

TEST(AcquireMachine, ARefusedWatchLeavesANode) {
    EXPECT_EQ(setting_watches()->on_own_read(error::too_many_watches, {}), actions(Remove{own}, Fail{error::too_many_watches}));
    EXPECT_EQ(setting_watches()->on_ahead_read(error::too_many_watches), actions(Remove{own}, Fail{error::too_many_watches}));
}

/// Servers report no event of a node that may not be read, so the deletion of the node ahead would prove nothing.
TEST(AcquireMachine, AnOwnNodeThatMayNotBeReadEndsTheWait) {
    const auto gives_up = actions(Remove{own}, Fail{no_auth});
    for (auto& story : {setting_watches(), verifying(), proving()}) EXPECT_EQ(story->on_own_read(no_auth, {}), gives_up);
    auto hidden = parked();
    EXPECT_EQ(hidden->on_own_event(data_changed), actions(WatchOwn{own}));
    EXPECT_EQ(hidden->on_own_read(no_auth, {}), gives_up);
}

} // namespace
} // namespace docent::detail
