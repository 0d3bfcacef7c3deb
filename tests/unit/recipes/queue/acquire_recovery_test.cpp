// SPDX-License-Identifier: Apache-2.0
#include "acquire_story.hpp"

#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using enum server_error;

// ---- the session of the first request

TEST(AcquireMachine, EndsWithItsSessionIfTheRetryPolicySaysSo) {
    AcquireStory story({mutex_names()}, RetryPolicy::n_times(2, milliseconds{100}).within_session());
    story.start(connected());
    story.on_entered(entered({next, own}));
    story.on_session(suspended());
    EXPECT_EQ(story.on_session(connected()), actions()) << "the same session";
    story.on_session(expired());
    EXPECT_EQ(story.on_session(connected(2)), actions(Fail{session_expired}));
}

// ---- lost replies

TEST(AcquireMachine, AFoundNodeQueuesLikeAnyOther) {
    auto story = finding();
    EXPECT_EQ(story->on_found({}, {next, own}), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions(WatchAhead{next}));
    EXPECT_EQ(story->on_ahead_read({}), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

TEST(AcquireMachine, AFoundNodeOfAnotherSessionIsNotTaken) {
    auto story = finding();
    story->on_found({}, {own});
    EXPECT_EQ(story->on_own_read({}, own_stat(second_session)), actions(Remove{own}, Enter{"g2"}));
}

TEST(AcquireMachine, OfSeveralFoundTheFirstIsKept) {
    auto story = finding();
    EXPECT_EQ(story->on_found({}, {lock("g1", 9), own, lock("g1", 8)}),
              actions(Remove{lock("g1", 8)}, Remove{lock("g1", 9)}, WatchOwn{own}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions(grant(true)));
}

// A stalled server may still carry out the first create later than a `sync` by way of another server: seen with 3.8.0.
TEST(AcquireMachine, NotFoundItIsCreatedAgainUnderANewGuidWhileThePolicyAllows) {
    auto story = finding();
    for (const auto* const guid : {"g1", "g2"}) {
        const std::string next_guid = guid == std::string_view("g1") ? "g2" : "g3";
        EXPECT_EQ(story->on_found({}, {next}), actions(ForgetGuid{guid}, Pause{milliseconds{100}}));
        EXPECT_EQ(story->on_paused(), actions(Enter{next_guid}));
        story->on_session(suspended());
        story->on_entered(not_entered(operation_timeout));
        EXPECT_EQ(story->on_session(connected()), actions(FindOwn{next_guid}));
    }
    EXPECT_EQ(story->on_found({}, {next}), actions(ForgetGuid{"g3"}, Fail{operation_timeout}));
}

TEST(AcquireMachine, AMissingQueueHasNoNodeOfTheAttempt) {
    auto story = finding();
    EXPECT_EQ(story->on_found(no_node, {}), actions(ForgetGuid{"g1"}, Pause{milliseconds{100}}));
    EXPECT_EQ(story->on_paused(), actions(Enter{"g2"}));
    EXPECT_EQ(story->on_entered(not_entered(no_node)), actions(Enter{"g2", true}));
}

TEST(AcquireMachine, ALostListAfterACreateIsListedAgain) {
    auto story = entering();
    auto half = entered({});
    half.list = connection_loss;
    EXPECT_EQ(story->on_entered(half), actions());
    EXPECT_EQ(story->on_session(suspended()), actions());
    EXPECT_EQ(story->on_session(connected()), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {own}), actions(grant(false)));
}

TEST(AcquireMachine, RepliesMayBeLostBeforeTheNewsOfTheBreak) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(not_entered(connection_loss)), actions()); // not yet: this event is about the broken connection
    EXPECT_EQ(story->on_session(suspended()), actions());
    EXPECT_EQ(story->on_session(connected()), actions(FindOwn{"g1"}));
}

TEST(AcquireMachine, RepliesMayBeLostAfterTheNewsOfTheNextConnection) {
    auto story = entering();
    story->on_session(suspended());
    EXPECT_EQ(story->on_session(connected()), actions());
    EXPECT_EQ(story->on_entered(not_entered(connection_loss)), actions(FindOwn{"g1"}));
}

TEST(AcquireMachine, AnUnsentRequestWaitsForTheNextConnection) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(not_entered(error::not_connected)), actions());
    EXPECT_EQ(story->on_session(suspended()), actions(AwaitSession{}));
    EXPECT_EQ(story->on_session(connected()), actions(Enter{"g1"}));
}

TEST(AcquireMachine, ABusyServerIsAskedAgainAsThePolicySays) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(not_entered(throttled)), actions(Pause{milliseconds{100}}));
    EXPECT_EQ(story->on_paused(), actions(Enter{"g1"}));
    EXPECT_EQ(story->on_entered(not_entered(throttled)), actions(Pause{milliseconds{100}}));
    EXPECT_EQ(story->on_paused(), actions(Enter{"g1"}));
    EXPECT_EQ(story->on_entered(not_entered(throttled)), actions(Fail{throttled}));
}

// ---- disconnections while waiting

TEST(AcquireMachine, AParkedWaiterKeepsItsPlaceButNotItsTrustInEvents) {
    auto story = parked();
    EXPECT_EQ(story->on_session(suspended()), actions());
    EXPECT_EQ(story->on_session(connected()), actions());
    EXPECT_EQ(story->on_ahead_event(deleted),
              actions(List{})); // the attempt's node may be gone, too: missed events have no order
    EXPECT_EQ(story->on_listed({}, {own}), actions(grant(true)));
}

TEST(AcquireMachine, AListAfterTheReconnectRestoresThatTrust) {
    auto story = parked_behind_two();
    story->on_session(suspended());
    story->on_session(connected());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {next, own}), actions(WatchAhead{next}));
    story->on_ahead_read({});
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

TEST(AcquireMachine, AListThatWasAskedForBeforeTheBreakDoesNot) {
    auto story = listing();
    story->on_session(suspended());
    EXPECT_EQ(story->on_session(connected()), actions());
    EXPECT_EQ(story->on_listed({}, {next, own}), actions(WatchAhead{next}));
    story->on_ahead_read({});
    EXPECT_EQ(story->on_ahead_event(deleted), actions(List{}));
}

TEST(AcquireMachine, APresumedLossKeepsThePlace) {
    auto story = parked();
    story->on_session(suspended());
    EXPECT_EQ(story->on_session(presumed_lost()), actions()) << "sessions outlive outages of any length";
    EXPECT_EQ(story->on_session(connected()), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(List{}));
}

TEST(AcquireMachine, ATryDoesNotWaitForASessionThatIsPresumedLost) {
    auto story = entering(WaitMode::tries_once);
    EXPECT_EQ(story->on_session(suspended()), actions());
    EXPECT_EQ(story->on_session(presumed_lost()), actions(AwaitSession{}));
    EXPECT_EQ(story->on_no_session(), actions(RemoveProtected{"g1"}, Fail{error::not_connected}));
}

TEST(AcquireMachine, APresumedLossMayTurnOutToBeReal) {
    auto story = parked();
    story->on_session(presumed_lost());
    EXPECT_EQ(story->on_session(connected(2)), actions(Remove{own}, Enter{"g2"}));
}

TEST(AcquireMachine, RepliesThatArriveDuringAPresumedLossGrantNothing) { // a stopped process reads old replies
    auto story = entering();
    EXPECT_EQ(story->on_session(presumed_lost()), actions());
    EXPECT_EQ(story->on_entered(entered({own})), actions());
    EXPECT_EQ(story->on_session(connected()), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {own}), actions(grant(false)));
}

TEST(AcquireMachine, AnEventThatArrivesDuringAPresumedLossGrantsNothing) {
    auto story = parked();
    story->on_session(presumed_lost());
    EXPECT_EQ(story->on_ahead_event(deleted), actions());
    EXPECT_EQ(story->on_session(expired()), actions(Remove{own}, AwaitSession{}));
    EXPECT_EQ(story->on_session(connected(2)), actions(Enter{"g2"}));
}

// ---- the session's validity

TEST(AcquireMachine, AnUncertainSessionIsAskedForASignOfLifeBeforeAGrant) {
    auto story = parked();
    story->certain = false;
    EXPECT_EQ(story->on_ahead_event(deleted), actions(FindOwn{"g1"}));
    story->certain = true;
    EXPECT_EQ(story->on_found({}, {own}), actions(grant(true)));
}

TEST(AcquireMachine, ASessionThatNeverBecomesCertainGrantsNothing) {
    auto story = entering();
    story->certain = false;
    EXPECT_EQ(story->on_entered(entered({own})), actions(FindOwn{"g1"}));
    EXPECT_EQ(story->on_found({}, {own}), actions(Pause{milliseconds{100}}));
    EXPECT_EQ(story->on_paused(), actions(FindOwn{"g1"}));
    EXPECT_EQ(story->on_found({}, {own}), actions(Pause{milliseconds{100}}));
    EXPECT_EQ(story->on_paused(), actions(FindOwn{"g1"}));
    EXPECT_EQ(story->on_found({}, {own}), actions(Remove{own}, Fail{error::not_connected}));
}

TEST(AcquireMachine, ANodeOfAnUnknownSessionIsNotTaken) {
    auto story = entering();
    EXPECT_EQ(story->on_entered(entered({own}, second_session)), actions(Remove{own}, AwaitSession{}));
    EXPECT_EQ(story->on_session(connected(2)), actions(Enter{"g2"}));
}

// ---- no session

TEST(AcquireMachine, ConnectedInTimeItEnters) {
    AcquireStory story;
    story.start(connecting());
    EXPECT_EQ(story.on_session(connected()), actions(Enter{"g1"}));
    EXPECT_EQ(story.on_no_session(), actions());
}

TEST(AcquireMachine, StartedWhileSuspendedItDoesNotWaitForEver) {
    AcquireStory story;
    EXPECT_EQ(story.start(suspended()), actions(AwaitSession{}));
    EXPECT_EQ(story.on_session(presumed_lost()), actions(AwaitSession{}));
    EXPECT_EQ(story.on_no_session(), actions(Fail{error::not_connected}));
}

TEST(AcquireMachine, StartedAfterCloseItFails) {
    AcquireStory story;
    EXPECT_EQ(story.start(closed()), actions(Fail{error::closed}));
}

} // namespace
} // namespace docent::detail
