// SPDX-License-Identifier: Apache-2.0

// Every step of an acquire with every event: one table for each event.

#include "acquire_story.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using enum server_error;

const error_code aborted = boost::asio::error::operation_aborted;
const auto stays_put = actions();

struct StepRow {
    const char* step;
    StoryPtr story;
    AcquireActions cleared;       // removes a node that may have been made
    std::string next_guid = "g2"; // of the next attempt
};
std::vector<StepRow> all_steps() {
    std::vector<StepRow> all;
    all.push_back({"awaiting session", awaiting_session(), {}, "g1"});
    all.push_back({"entering", entering(), actions(RemoveProtected{"g1"})});
    all.push_back({"in doubt", in_doubt(), actions(RemoveProtected{"g1"})});
    all.push_back({"finding", finding(), actions(RemoveProtected{"g1"})});
    all.push_back({"pausing", pausing(), {}});
    all.push_back({"verifying", verifying(), actions(Remove{own})});
    all.push_back({"setting watches", setting_watches(), actions(Remove{own})});
    all.push_back({"parked", parked(), actions(Remove{own})});
    all.push_back({"proving", proving(), actions(Remove{own})});
    all.push_back({"listing", listing(), actions(Remove{own})});
    return all;
}

TEST(EveryStep, CancelOrDeadline) {
    for (const error_code& ec : {aborted, make_error_code(error::not_acquired)}) {
        for (auto& row : all_steps()) EXPECT_EQ(row.story->finish(ec), joined(row.cleared, actions(Fail{ec}))) << row.step;
    }
}

TEST(EveryStep, ClientClosed) {
    for (auto& row : all_steps())
        EXPECT_EQ(row.story->on_session(closed()), joined(row.cleared, actions(Fail{error::closed}))) << row.step;
}

TEST(EveryStep, CredentialsRefusedOrNoTls) {
    for (const error_code& ec : {make_error_code(auth_failed), make_error_code(error::tls_failed)}) {
        const auto refused = session_event(SessionState::lost, 1, ec);
        for (auto& row : all_steps())
            EXPECT_EQ(row.story->on_session(refused), joined(row.cleared, actions(Fail{ec}))) << row.step;
    }
}

TEST(EveryStep, NoSessionInTime) {
    for (auto& [step, story, cleared, next_guid] : all_steps()) {
        story->on_session(presumed_lost());
        EXPECT_EQ(story->on_no_session(), joined(cleared, actions(Fail{error::not_connected}))) << step;
    }
}

TEST(EveryStep, SessionExpired) { // the attempt starts again in the next session
    for (auto& [step, story, cleared, next_guid] : all_steps()) {
        SCOPED_TRACE(step);
        EXPECT_EQ(story->on_session(expired()), joined(cleared, actions(AwaitSession{})));
        EXPECT_EQ(story->on_paused(), stays_put);
        EXPECT_EQ(story->on_own_event(deleted), stays_put); // the event is about the old node
        EXPECT_EQ(story->on_ahead_event(deleted), stays_put);
        EXPECT_EQ(story->on_session(connected(2)), actions(Enter{next_guid}));
    }
}

TEST(EveryStep, SuspendedAndBackInANewSession) { // the deletion of the predecessor was never reported
    for (auto& [step, story, cleared, next_guid] : all_steps()) {
        const bool pauses = std::string_view(step) == "pausing";
        EXPECT_EQ(story->on_session(connected(2)), pauses ? stays_put : joined(cleared, actions(Enter{next_guid}))) << step;
    }
}

TEST(EveryStep, SuspendedAndBackInTheSameSessionWithTheReplyLost) {
    struct LostReply {
        StoryPtr story;
        AcquireActions (*lose)(AcquireMachine&);
        AcquireActions after;
    };
    const auto lost = [](AcquireMachine& m) { return m.on_entered(not_entered(connection_loss)); };
    LostReply rows[] = {
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
    struct UnsentRequest {
        StoryPtr story;
        AcquireActions (*fail)(AcquireMachine&);
        AcquireActions after;
    };
    UnsentRequest rows[] = {
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
    for (auto& story : {awaiting_session(), entering(), finding(), verifying(), pausing(), proving(), listing()})
        EXPECT_EQ(story->on_ahead_event(deleted), stays_put);
}

} // namespace
} // namespace docent::detail
