// SPDX-License-Identifier: Apache-2.0

// Every step of an acquire with every event: one table for each event.

#include "acquire_story.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using enum server_error;

const error_code aborted = boost::asio::error::operation_aborted;
const auto stays_put = actions();

TEST(EveryStep, Cancel) {
    EXPECT_EQ(awaiting_session()->on_end(aborted), actions(Fail{aborted}));
    EXPECT_EQ(entering()->on_end(aborted), actions(RemoveProtected{"g1"}, Fail{aborted}));
    EXPECT_EQ(in_doubt()->on_end(aborted), actions(RemoveProtected{"g1"}, Fail{aborted}));
    EXPECT_EQ(finding()->on_end(aborted), actions(RemoveProtected{"g1"}, Fail{aborted}));
    EXPECT_EQ(pausing()->on_end(aborted), actions(Fail{aborted}));
    EXPECT_EQ(verifying()->on_end(aborted), actions(Remove{own}, Fail{aborted}));
    EXPECT_EQ(setting_watches()->on_end(aborted), actions(Remove{own}, Fail{aborted}));
    EXPECT_EQ(parked()->on_end(aborted), actions(Remove{own}, Fail{aborted}));
    EXPECT_EQ(proving()->on_end(aborted), actions(Remove{own}, Fail{aborted}));
    EXPECT_EQ(listing()->on_end(aborted), actions(Remove{own}, Fail{aborted}));
}

TEST(EveryStep, Deadline) {
    EXPECT_EQ(awaiting_session()->on_end(error::not_acquired), actions(Fail{error::not_acquired}));
    EXPECT_EQ(entering()->on_end(error::not_acquired), actions(RemoveProtected{"g1"}, Fail{error::not_acquired}));
    EXPECT_EQ(in_doubt()->on_end(error::not_acquired), actions(RemoveProtected{"g1"}, Fail{error::not_acquired}));
    EXPECT_EQ(finding()->on_end(error::not_acquired), actions(RemoveProtected{"g1"}, Fail{error::not_acquired}));
    EXPECT_EQ(pausing()->on_end(error::not_acquired), actions(Fail{error::not_acquired}));
    EXPECT_EQ(verifying()->on_end(error::not_acquired), actions(Remove{own}, Fail{error::not_acquired}));
    EXPECT_EQ(setting_watches()->on_end(error::not_acquired), actions(Remove{own}, Fail{error::not_acquired}));
    EXPECT_EQ(parked()->on_end(error::not_acquired), actions(Remove{own}, Fail{error::not_acquired}));
    EXPECT_EQ(proving()->on_end(error::not_acquired), actions(Remove{own}, Fail{error::not_acquired}));
    EXPECT_EQ(listing()->on_end(error::not_acquired), actions(Remove{own}, Fail{error::not_acquired}));
}

TEST(EveryStep, ClientClosed) {
    EXPECT_EQ(awaiting_session()->on_session(closed()), actions(Fail{error::closed}));
    EXPECT_EQ(entering()->on_session(closed()), actions(RemoveProtected{"g1"}, Fail{error::closed}));
    EXPECT_EQ(in_doubt()->on_session(closed()), actions(RemoveProtected{"g1"}, Fail{error::closed}));
    EXPECT_EQ(finding()->on_session(closed()), actions(RemoveProtected{"g1"}, Fail{error::closed}));
    EXPECT_EQ(pausing()->on_session(closed()), actions(Fail{error::closed}));
    EXPECT_EQ(verifying()->on_session(closed()), actions(Remove{own}, Fail{error::closed}));
    EXPECT_EQ(setting_watches()->on_session(closed()), actions(Remove{own}, Fail{error::closed}));
    EXPECT_EQ(parked()->on_session(closed()), actions(Remove{own}, Fail{error::closed}));
    EXPECT_EQ(proving()->on_session(closed()), actions(Remove{own}, Fail{error::closed}));
    EXPECT_EQ(listing()->on_session(closed()), actions(Remove{own}, Fail{error::closed}));
}

TEST(EveryStep, SessionExpired) { // the attempt starts again in the next session
    struct Row {
        StoryPtr story;
        AcquireActions expected;
    };
    Row rows[] = {
        {awaiting_session(), actions(AwaitSession{})},
        {entering(), actions(RemoveProtected{"g1"}, AwaitSession{})},
        {in_doubt(), actions(RemoveProtected{"g1"}, AwaitSession{})},
        {finding(), actions(RemoveProtected{"g1"}, AwaitSession{})},
        {verifying(), actions(Remove{own}, AwaitSession{})},
        {setting_watches(), actions(Remove{own}, AwaitSession{})},
        {parked(), actions(Remove{own}, AwaitSession{})},
        {proving(), actions(Remove{own}, AwaitSession{})},
        {listing(), actions(Remove{own}, AwaitSession{})},
    };
    for (auto& [story, expected] : rows) {
        const bool first = expected == actions(AwaitSession{});
        EXPECT_EQ(story->on_session(expired()), expected);
        EXPECT_EQ(story->on_paused(), stays_put);
        EXPECT_EQ(story->on_own_event(deleted), stays_put); // the event is about the old node
        EXPECT_EQ(story->on_ahead_event(deleted), stays_put);
        EXPECT_EQ(story->on_session(connected(2)), actions(Enter{first ? "g1" : "g2"}));
    }
}

TEST(EveryStep, SessionExpiredInAPause) {
    auto story = pausing();
    EXPECT_EQ(story->on_session(expired()), actions(AwaitSession{}));
    EXPECT_EQ(story->on_paused(), stays_put);
    EXPECT_EQ(story->on_session(connected(2)), actions(Enter{"g2"}));
}

TEST(EveryStep, CredentialsRefused) {
    EXPECT_EQ(parked()->on_session(session_event(SessionState::lost, 1, auth_failed)), actions(Remove{own}, Fail{auth_failed}));
    EXPECT_EQ(entering()->on_session(session_event(SessionState::lost, 1, auth_failed)),
              actions(RemoveProtected{"g1"}, Fail{auth_failed}));
    EXPECT_EQ(awaiting_session()->on_session(session_event(SessionState::lost, 1, auth_failed)), actions(Fail{auth_failed}));
}

TEST(EveryStep, SuspendedAndBackInANewSession) { // the deletion of the predecessor was never reported
    EXPECT_EQ(awaiting_session()->on_session(connected(2)), actions(Enter{"g1"}));
    EXPECT_EQ(entering()->on_session(connected(2)), actions(RemoveProtected{"g1"}, Enter{"g2"}));
    EXPECT_EQ(in_doubt()->on_session(connected(2)), actions(RemoveProtected{"g1"}, Enter{"g2"}));
    EXPECT_EQ(finding()->on_session(connected(2)), actions(RemoveProtected{"g1"}, Enter{"g2"}));
    EXPECT_EQ(pausing()->on_session(connected(2)), stays_put);
    EXPECT_EQ(verifying()->on_session(connected(2)), actions(Remove{own}, Enter{"g2"}));
    EXPECT_EQ(setting_watches()->on_session(connected(2)), actions(Remove{own}, Enter{"g2"}));
    EXPECT_EQ(parked()->on_session(connected(2)), actions(Remove{own}, Enter{"g2"}));
    EXPECT_EQ(proving()->on_session(connected(2)), actions(Remove{own}, Enter{"g2"}));
    EXPECT_EQ(listing()->on_session(connected(2)), actions(Remove{own}, Enter{"g2"}));
}

TEST(EveryStep, SuspendedAndBackInTheSameSessionWithTheReplyLost) {
    struct Row {
        StoryPtr story;
        AcquireActions (*lose)(AcquireMachine&);
        AcquireActions after;
    };
    const auto lost = [](AcquireMachine& m) { return m.on_entered(not_entered(connection_loss)); };
    Row rows[] = {
        {entering(), lost, actions(FindOwn{"g1"})},
        {finding(), [](AcquireMachine& m) { return m.on_found(connection_loss, {}); }, actions(FindOwn{"g1"})},
        {verifying(), [](AcquireMachine& m) { return m.on_own_read(connection_loss, {}); }, actions(List{})},
        {setting_watches(), [](AcquireMachine& m) { return m.on_own_read(connection_loss, {}); }, actions(List{})},
        {proving(), [](AcquireMachine& m) { return m.on_own_read(connection_loss, {}); }, actions(List{})},
        {listing(), [](AcquireMachine& m) { return m.on_listed(connection_loss, {}); }, actions(List{})},
    };
    for (auto& [story, lose, after] : rows) {
        EXPECT_EQ(story->on_session(suspended()), stays_put);
        EXPECT_EQ(lose(*story), stays_put);
        EXPECT_EQ(story->on_session(connected()), after);
    }
    EXPECT_EQ(in_doubt()->on_session(connected()), actions(FindOwn{"g1"}));
}

TEST(EveryStep, SuspendedAndBackWithNothingUnderWay) {
    auto waiter = parked();
    EXPECT_EQ(waiter->on_session(suspended()), stays_put);
    EXPECT_EQ(waiter->on_session(connected()), stays_put);

    auto pause = pausing();
    EXPECT_EQ(pause->on_session(suspended()), actions(AwaitSession{})); // the attempt has no node
    EXPECT_EQ(pause->on_session(connected()), stays_put);
    EXPECT_EQ(pause->on_paused(), actions(Enter{"g2"}));
}

TEST(EveryStep, APauseThatEndsWhileSuspendedGoesOnWithTheConnection) {
    auto story = pausing();
    story->on_session(suspended());
    EXPECT_EQ(story->on_paused(), actions(AwaitSession{}));
    EXPECT_EQ(story->on_session(connected()), actions(Enter{"g2"}));
}

TEST(EveryStep, NotSent) {
    struct Row {
        StoryPtr story;
        AcquireActions (*fail)(AcquireMachine&);
        AcquireActions after;
    };
    Row rows[] = {
        {entering(), [](AcquireMachine& m) { return m.on_entered(not_entered(error::not_connected)); }, actions(Enter{"g1"})},
        {finding(), [](AcquireMachine& m) { return m.on_found(error::not_connected, {}); }, actions(FindOwn{"g1"})},
        {verifying(), [](AcquireMachine& m) { return m.on_own_read(error::not_connected, {}); }, actions(List{})},
        {setting_watches(), [](AcquireMachine& m) { return m.on_own_read(error::not_connected, {}); }, actions(List{})},
        {proving(), [](AcquireMachine& m) { return m.on_own_read(error::not_connected, {}); }, actions(List{})},
        {listing(), [](AcquireMachine& m) { return m.on_listed(error::not_connected, {}); }, actions(List{})},
    };
    for (auto& [story, fail, after] : rows) {
        EXPECT_EQ(fail(*story), stays_put); // the event of the disconnection is still to come
        story->on_session(suspended());
        EXPECT_EQ(story->on_session(connected()), after);
    }
}

TEST(EveryStep, TheReadOfThePredecessorIsLost) {
    auto story = setting_watches();
    story->on_own_read({}, own_stat());
    story->on_session(suspended());
    EXPECT_EQ(story->on_ahead_read(connection_loss), stays_put);
    EXPECT_EQ(story->on_session(connected()), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {next, own}), actions(WatchAhead{next})); // the watch on the attempt's node is set already
}

TEST(EveryStep, BothReadsAreLost) {
    auto story = setting_watches();
    story->on_session(suspended());
    EXPECT_EQ(story->on_own_read(connection_loss, {}), stays_put);
    EXPECT_EQ(story->on_ahead_read(connection_loss), stays_put);
    EXPECT_EQ(story->on_session(connected()), actions(List{}));
    EXPECT_EQ(story->on_listed({}, {next, own}), actions(WatchOwn{own}, WatchAhead{next}));
}

TEST(EveryStep, OwnNodeDeleted) {
    const auto failed = actions(Fail{error::lock_node_deleted});
    EXPECT_EQ(entering()->on_entered(entered({next})), failed);
    EXPECT_EQ(verifying()->on_own_read(no_node, {}), failed);
    EXPECT_EQ(setting_watches()->on_own_read(no_node, {}), failed);
    EXPECT_EQ(listing()->on_listed({}, {next}), failed);
    EXPECT_EQ(proving()->on_own_read(no_node, {}), failed);
    for (auto& story : {parked(), proving(), listing()}) {
        EXPECT_EQ(story->on_own_event(deleted), actions(WatchOwn{own}));
        EXPECT_EQ(story->on_own_read(no_node, {}), failed);
    }
    // The result of a create in doubt can no longer be found: the attempt makes its node again.
    EXPECT_EQ(finding()->on_found({}, {next}), actions(ForgetGuid{"g1"}, Pause{milliseconds{100}}));
}

TEST(EveryStep, OwnNodeDeletedWhileSuspended) {
    auto story = parked();
    story->on_session(suspended());
    story->on_session(connected());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(List{}));
    EXPECT_EQ(story->on_own_event(deleted), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_own_read(no_node, {}), actions(Fail{error::lock_node_deleted}));
}

/// A process that was stopped for long may read the events in this order: the deletion, the disconnection, the end of the
/// session.
TEST(EveryStep, OwnNodeDeletedWithItsSession) {
    for (auto& story : {parked(), proving(), listing()}) {
        EXPECT_EQ(story->on_own_event(deleted), actions(WatchOwn{own}));
        EXPECT_EQ(story->on_own_read(connection_loss, {}), stays_put);
        story->on_session(suspended());
        EXPECT_EQ(story->on_session(expired()), actions(Remove{own}, AwaitSession{}));
        EXPECT_EQ(story->on_session(connected(2)), actions(Enter{"g2"}));
    }
}

TEST(EveryStep, AheadDeleted) {
    const Grant granted{own, own_czxid, 1, true};
    auto watching = setting_watches();
    watching->on_own_read({}, own_stat());
    EXPECT_EQ(watching->on_ahead_read(no_node), actions(granted));
    EXPECT_EQ(parked()->on_ahead_event(deleted), actions(granted));
    EXPECT_EQ(parked_behind_two()->on_ahead_event(deleted), actions(Look{own}));
    // Events of a watch that no longer matters:
    EXPECT_EQ(awaiting_session()->on_ahead_event(deleted), stays_put);
    EXPECT_EQ(entering()->on_ahead_event(deleted), stays_put);
    EXPECT_EQ(finding()->on_ahead_event(deleted), stays_put);
    EXPECT_EQ(verifying()->on_ahead_event(deleted), stays_put);
    EXPECT_EQ(pausing()->on_ahead_event(deleted), stays_put);
    EXPECT_EQ(proving()->on_ahead_event(deleted), stays_put);
    EXPECT_EQ(listing()->on_ahead_event(deleted), stays_put);
}

TEST(EveryStep, NoSessionInTime) {
    const auto after_loss = [](StoryPtr story) {
        story->on_session(presumed_lost());
        return story->on_no_session();
    };
    EXPECT_EQ(after_loss(awaiting_session()), actions(Fail{error::not_connected}));
    EXPECT_EQ(after_loss(entering()), actions(RemoveProtected{"g1"}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(in_doubt()), actions(RemoveProtected{"g1"}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(finding()), actions(RemoveProtected{"g1"}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(pausing()), actions(Fail{error::not_connected}));
    EXPECT_EQ(after_loss(verifying()), actions(Remove{own}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(setting_watches()), actions(Remove{own}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(parked()), actions(Remove{own}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(proving()), actions(Remove{own}, Fail{error::not_connected}));
    EXPECT_EQ(after_loss(listing()), actions(Remove{own}, Fail{error::not_connected}));
}

} // namespace
} // namespace docent::detail
