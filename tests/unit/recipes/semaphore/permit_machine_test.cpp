// SPDX-License-Identifier: Apache-2.0

// Every step of taking permits with every event.

#include "acquire_story.hpp"
#include "semaphore/permit_machine.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

using std::chrono::milliseconds;
using enum server_error;

constexpr Gate gate{60, 1};
const error_code aborted = boost::asio::error::operation_aborted;

/// `_c_<guid>-lease-<ten digits>`
std::string lease(const std::string& guid, int sequence) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%010d", sequence);
    return "_c_" + guid + "-lease-" + digits;
}
const std::string own = lease("g1", 7);
const std::string second = lease("g2", 8);
const std::string theirs = lease("x", 5);

template <typename... Actions> PermitActions asks(Actions... each) {
    return PermitActions{PermitAction(std::move(each))...};
}
const auto stays_put = asks();

PermitsCreated::Node made(std::string name, std::int64_t czxid = 70, std::int64_t session = first_session) {
    return {.name = std::move(name), .czxid = czxid, .ephemeral_owner = session};
}
PermitsCreated created(std::vector<std::string> children) {
    return {.nodes = {made(own)}, .children = std::move(children)};
}
PermitsCreated not_created(error_code ec) {
    return {.nodes = {{.ec = ec}}, .list = ec};
}
GrantPermits granted(std::int32_t out, std::int32_t limit = 1) {
    return {{{own, 70}}, {limit, out}};
}

/// Takes the only permit, unless the test says otherwise.
struct Story : Surroundings, PermitMachine {
    explicit Story(std::int32_t count = 1, WaitMode wait_mode = WaitMode::waits,
                   const RetryPolicy& retry = RetryPolicy::n_times(2, milliseconds{100}))
        : PermitMachine({count, wait_mode, retry}, sources(), gate) {}
};
using StoryPtr = std::unique_ptr<Story>;

// Each of these functions leaves the machine in the step that it is named after.
StoryPtr awaiting_connection() {
    auto story = std::make_unique<Story>();
    story->start(suspended(), 1);
    return story;
}
StoryPtr creating() {
    auto story = std::make_unique<Story>();
    story->start(connected(), 1);
    return story;
}
StoryPtr pausing() {
    auto story = creating();
    story->on_created(not_created(throttled));
    return story;
}
StoryPtr listing() {
    auto story = creating();
    story->on_created(created({theirs, own}));
    return story;
}
StoryPtr watching_gate() {
    auto story = listing();
    story->on_listed({}, {theirs, own});
    return story;
}
Stat gate_stat(std::int64_t czxid = gate.czxid) {
    Stat stat;
    stat.czxid = czxid;
    return stat;
}
StoryPtr parked() {
    auto story = watching_gate();
    story->on_gate_read({}, gate_stat());
    return story;
}
StoryPtr cut_off_while_listing() {
    auto story = listing();
    story->on_session(suspended());
    story->on_listed(connection_loss, {});
    return story;
}

TEST(PermitMachine, FreePermitIsGrantedOnTheFirstList) {
    Story story;
    EXPECT_EQ(story.start(connected(), 3), asks(CreatePermits{{"g1"}}));
    EXPECT_EQ(story.on_created(created({theirs, own})), asks(granted(2, 3)));
    EXPECT_EQ(story.finish(aborted), stays_put) << "it is over";
}

TEST(PermitMachine, SeveralAreGrantedTogether) {
    Story story(2);
    EXPECT_EQ(story.start(connected(), 2), asks(CreatePermits{{"g1", "g2"}}));
    EXPECT_EQ(story.on_created({.nodes = {made(own), made(second, 71)}, .children = {theirs, own, second}}),
              asks(ListPermits{}));
    EXPECT_EQ(story.on_listed({}, {theirs, own, second}), asks(WatchGate{}));
    EXPECT_EQ(story.on_leases_event(), asks(ListPermits{}));
    EXPECT_EQ(story.on_listed({}, {own, second}), asks(GrantPermits{{{own, 70}, {second, 71}}, {2, 2}}));
}

TEST(PermitMachine, IsParkedOnlyOnAListThatIsWatched) {
    EXPECT_EQ(creating()->on_created(created({theirs, own})), asks(ListPermits{}));
    EXPECT_EQ(listing()->on_listed({}, {theirs, own}), asks(WatchGate{}));
    EXPECT_EQ(listing()->on_listed({}, {own}), asks(granted(1)));
    auto story = parked();
    EXPECT_EQ(story->on_leases_event(), asks(ListPermits{}));
    EXPECT_EQ(story->on_leases_event(), stays_put) << "a list is under way";
    EXPECT_EQ(story->on_listed({}, {theirs, own}), stays_put) << "the gate is watched";
}

TEST(PermitMachine, TriesOnce) {
    Story story(1, WaitMode::tries_once);
    story.start(connected(), 1);
    EXPECT_EQ(story.on_created(created({theirs, own})), asks(Remove{own}, Fail{error::not_acquired}));
}

TEST(PermitMachine, ForeignNodesDoNotCount) {
    EXPECT_EQ(creating()->on_created(created({"0", "lease-12", "notes", own})), asks(granted(1)));
}

TEST(PermitMachine, RaisedLimitLooksAgain) {
    auto story = parked();
    EXPECT_EQ(story->on_limit(0), stays_put);
    EXPECT_EQ(story->on_limit(2), asks(ListPermits{}));
    EXPECT_EQ(story->on_listed({}, {theirs, own}), asks(granted(2, 2)));
    EXPECT_EQ(creating()->on_limit(2), stays_put);
    auto meanwhile = creating();
    meanwhile->on_limit(2);
    EXPECT_EQ(meanwhile->on_created(created({theirs, own})), asks(granted(2, 2)));
}

TEST(PermitMachine, MissingParentsAreMade) {
    auto story = creating();
    EXPECT_EQ(story->on_created(not_created(no_node)), asks(CreatePermits{{"g2"}, true}));
    for (int guid = 3; guid < 12; ++guid) {
        EXPECT_EQ(story->on_created(not_created(no_node)), asks(CreatePermits{{"g" + std::to_string(guid)}, true}));
    }
    EXPECT_EQ(story->on_created(not_created(no_node)), asks(Fail{no_node})) << "not for ever";
}

TEST(PermitMachine, ParentsThatMayNotBeMadeEndItAtOnce) {
    auto story = creating();
    story->on_created(not_created(no_node));
    EXPECT_EQ(story->on_created(not_created(no_auth)), asks(Fail{no_auth}));
}

/// None of the permits is kept, and nodes that may still exist do not count.
TEST(PermitMachine, LostReplyLeadsToOthers) {
    Story story(2);
    story.start(connected(), 2);
    story.on_session(suspended());
    EXPECT_EQ(story.on_created({.nodes = {made(own), {.ec = connection_loss}}, .list = connection_loss}),
              asks(Remove{own}, RemoveProtected{"g2"}));
    EXPECT_EQ(story.on_session(connected()), asks(CreatePermits{{"g3", "g4"}}));
    const auto third = lease("g3", 9);
    const auto fourth = lease("g4", 10);
    EXPECT_EQ(story.on_created({.nodes = {made(third), made(fourth)}, .children = {own, second, third, fourth}}),
              asks(GrantPermits{{{third, 70}, {fourth, 70}}, {2, 2}}));
}

TEST(PermitMachine, LostConnectionBeforeItsNews) {
    auto story = creating();
    EXPECT_EQ(story->on_created(not_created(connection_loss)), asks(RemoveProtected{"g1"}));
    EXPECT_EQ(story->on_session(suspended()), stays_put);
    EXPECT_EQ(story->on_session(connected()), asks(CreatePermits{{"g2"}}));
    auto late = creating();
    late->on_session(suspended());
    late->on_session(connected());
    EXPECT_EQ(late->on_created(not_created(connection_loss)), asks(RemoveProtected{"g1"}, CreatePermits{{"g2"}}));
    auto unsent = creating();
    unsent->on_session(suspended());
    EXPECT_EQ(unsent->on_created(not_created(error::not_connected)), stays_put) << "there is nothing to remove";
}

TEST(PermitMachine, MadeInAnotherSession) {
    EXPECT_EQ(creating()->on_created({.nodes = {made(own, 70, second_session)}, .children = {own}}),
              asks(Remove{own}, BeginAgain{}));
}

TEST(PermitMachine, NoNumbersLeft) {
    for (const std::string last : {"_c_g1-lease-2147483647", "_c_g1-lease--2147483648"}) {
        EXPECT_EQ(creating()->on_created({.nodes = {made(last)}, .children = {last}}),
                  asks(Remove{last}, Fail{error::numbers_used_up}));
    }
}

/// Curator counts such permits.
TEST(PermitMachine, PermitsWithoutAUsableNumberAreOutAsWell) {
    EXPECT_EQ(creating()->on_created({.nodes = {made(own)}, .children = {own, "_c_x-lease-2147483647"}}), asks(ListPermits{}));
    EXPECT_EQ(creating()->on_created({.nodes = {made(own)}, .children = {own, "_c_x-lease--2147483648"}}), asks(ListPermits{}));
}

TEST(PermitMachine, GravestErrorDecides) {
    for (const server_error other : {no_node, connection_loss, throttled}) {
        Story story(2);
        story.start(connected(), 2);
        const auto outcome = story.on_created({.nodes = {{.ec = other}, {.ec = no_auth}}});
        EXPECT_EQ(outcome.back(), PermitAction(Fail{no_auth}));
    }
}

TEST(PermitMachine, OverloadedServerIsAskedAgain) {
    auto story = creating();
    EXPECT_EQ(story->on_created(not_created(throttled)), asks(Pause{milliseconds{100}}));
    EXPECT_EQ(story->on_paused(), asks(CreatePermits{{"g2"}}));
    EXPECT_EQ(listing()->on_listed(throttled, {}), asks(Pause{milliseconds{100}}));
    EXPECT_EQ(watching_gate()->on_gate_read(throttled, {}), asks(Pause{milliseconds{100}}));
    story->on_created(not_created(throttled));
    story->on_paused();
    EXPECT_EQ(story->on_created(not_created(throttled)), asks(Fail{throttled})) << "as often as the policy says";
}

TEST(PermitMachine, OwnNodeIsGone) {
    EXPECT_EQ(listing()->on_listed({}, {theirs}), asks(Remove{own}, Fail{error::lock_node_deleted}));
    EXPECT_EQ(listing()->on_listed(no_node, {}), asks(Remove{own}, Fail{error::lock_node_deleted}));
    EXPECT_EQ(creating()->on_created(created({theirs})), asks(Remove{own}, Fail{error::lock_node_deleted}));
}

TEST(PermitMachine, GateIsGone) {
    const auto gives_up = asks(Remove{own}, Fail{error::lock_node_deleted});
    EXPECT_EQ(watching_gate()->on_gate_read(no_node, {}), gives_up);
    EXPECT_EQ(watching_gate()->on_gate_read({}, gate_stat(61)), gives_up) << "another node of that name";
    for (auto& told : {watching_gate(), parked()}) { // perhaps the session ended: the next request will tell
        EXPECT_EQ(told->on_gate_event(WatchEventType::deleted), asks(WatchGate{}));
        EXPECT_EQ(told->on_gate_read(no_node, {}), gives_up);
    }
    auto story = parked();
    EXPECT_EQ(story->on_gate_event(WatchEventType::data_changed), asks(WatchGate{})) << "it is watched on";
    EXPECT_EQ(story->on_gate_read({}, gate_stat()), stays_put);
}

TEST(PermitMachine, AGateNodeThatMayNotBeReadEndsTheWait) {
    const auto gives_up = asks(Remove{own}, Fail{no_auth});
    EXPECT_EQ(watching_gate()->on_gate_read(no_auth, {}), gives_up);
    auto story = parked();
    EXPECT_EQ(story->on_gate_event(WatchEventType::data_changed), asks(WatchGate{}));
    EXPECT_EQ(story->on_gate_read(no_auth, {}), gives_up);
}

/// The process was stopped and reads old replies now.
TEST(PermitMachine, IsNotGrantedWithoutASignOfLife) {
    auto story = parked();
    story->certain = false;
    story->on_leases_event();
    EXPECT_EQ(story->on_listed({}, {own}), asks(ListPermits{Freshness::synced}));
    EXPECT_EQ(story->on_listed({}, {own}), asks(Pause{milliseconds{100}})) << "still not";
    EXPECT_EQ(story->on_paused(), asks(ListPermits{Freshness::synced}));
    story->certain = true;
    EXPECT_EQ(story->on_listed({}, {own}), asks(granted(1)));
}

TEST(PermitMachine, NewsOfAnEarlierStepAreIgnored) {
    EXPECT_EQ(parked()->on_created(created({own})), stays_put);
    EXPECT_EQ(parked()->on_listed({}, {own}), stays_put);
    EXPECT_EQ(parked()->on_paused(), stays_put);
    EXPECT_EQ(creating()->on_leases_event(), stays_put);
    EXPECT_EQ(creating()->on_gate_event(WatchEventType::deleted), stays_put);
    EXPECT_EQ(creating()->on_gate_read({}, gate_stat()), stays_put);
}

// ---- every step, and every end

struct Row {
    const char* step;
    StoryPtr story;
    PermitActions cleared; // removes nodes that may have been made
};
std::vector<Row> rows() {
    std::vector<Row> all;
    all.push_back({"awaiting connection", awaiting_connection(), {}});
    all.push_back({"creating", creating(), asks(RemoveProtected{"g1"})});
    all.push_back({"pausing", pausing(), {}});
    all.push_back({"listing", listing(), asks(Remove{own})});
    all.push_back({"watching gate", watching_gate(), asks(Remove{own})});
    all.push_back({"parked", parked(), asks(Remove{own})});
    all.push_back({"cut off while listing", cut_off_while_listing(), asks(Remove{own})});
    return all;
}

TEST(PermitMachineAtEveryStep, CancelOrDeadline) {
    for (auto& [step, story, cleared] : rows()) {
        EXPECT_EQ(story->finish(aborted), joined(cleared, asks(Fail{aborted}))) << step;
        EXPECT_EQ(story->on_session(connected(2)), stays_put) << step;
    }
    for (auto& [step, story, cleared] : rows()) {
        EXPECT_EQ(story->finish(error::not_acquired), joined(cleared, asks(Fail{error::not_acquired}))) << step;
    }
}

TEST(PermitMachineAtEveryStep, CredentialsRefusedOrNoTls) {
    for (const error_code& ec : {make_error_code(server_error::auth_failed), make_error_code(error::tls_failed)}) {
        const auto refused = session_event(SessionState::lost, 1, ec);
        for (auto& [step, story, cleared] : rows()) {
            EXPECT_EQ(story->on_session(refused), joined(cleared, asks(Fail{ec}))) << step;
        }
    }
}

TEST(PermitMachineAtEveryStep, ClientClosed) {
    for (auto& [step, story, cleared] : rows()) {
        EXPECT_EQ(story->on_session(closed()), joined(cleared, asks(Fail{error::closed}))) << step;
    }
}

TEST(PermitMachineAtEveryStep, SessionExpired) {
    for (auto& [step, story, cleared] : rows()) {
        EXPECT_EQ(story->on_session(expired()), joined(cleared, asks(BeginAgain{}))) << step;
        EXPECT_EQ(story->on_session(connected(2)), stays_put) << step << ": it is over";
    }
}

TEST(PermitMachine, EndsWithItsSessionIfTheRetryPolicySaysSo) {
    for (const auto& event : {expired(), connected(2)}) {
        Story story(1, WaitMode::waits, RetryPolicy::n_times(2, milliseconds{100}).within_session());
        story.start(suspended(), 1);
        EXPECT_EQ(story.on_session(event), asks(Fail{session_expired}));
    }
}

TEST(PermitMachineAtEveryStep, AnotherSessionWithoutNewsOfTheEnd) {
    for (auto& [step, story, cleared] : rows()) {
        EXPECT_EQ(story->on_session(connected(2)), joined(cleared, asks(BeginAgain{}))) << step;
    }
}

/// The session may come back after an outage of any length: the attempt keeps its place.
TEST(PermitMachineAtEveryStep, SessionPresumedLost) {
    for (auto& [step, story, cleared] : rows()) {
        EXPECT_EQ(story->on_session(presumed_lost()), stays_put) << step;
        EXPECT_EQ(story->on_no_session(), joined(cleared, asks(Fail{error::not_connected}))) << step;
    }
}

TEST(PermitMachineAtEveryStep, ConnectionComesBack) {
    EXPECT_EQ(awaiting_connection()->on_session(connected()), asks(CreatePermits{{"g1"}}));
    EXPECT_EQ(cut_off_while_listing()->on_session(connected()), asks(ListPermits{}));
    auto story = parked();
    story->on_session(suspended());
    EXPECT_EQ(story->on_session(connected()), asks(ListPermits{})) << "a watch tells nothing of a state that went back";
    EXPECT_EQ(story->on_listed({}, {theirs, own}), stays_put) << "the gate is watched still";
    auto unwatched = watching_gate();
    unwatched->on_session(suspended());
    unwatched->on_gate_read(connection_loss, {});
    EXPECT_EQ(unwatched->on_session(connected()), asks(ListPermits{}));
    EXPECT_EQ(unwatched->on_listed({}, {theirs, own}), asks(WatchGate{}));
    auto listed = listing();
    listed->on_session(suspended());
    EXPECT_EQ(listed->on_listed({}, {own}), stays_put) << "not without a connection";
    EXPECT_EQ(listed->on_session(connected()), asks(ListPermits{}));
    auto waiting = parked();
    waiting->on_session(suspended());
    EXPECT_EQ(waiting->on_leases_event(), stays_put);
    EXPECT_EQ(waiting->on_session(connected()), asks(ListPermits{}));
}

TEST(PermitMachine, BeginsWithTheGateOfThisSession) {
    EXPECT_EQ(Story().start(connected(2), 1), asks(BeginAgain{}));
    EXPECT_EQ(Story().start(closed(), 1), asks(Fail{error::closed}));
    EXPECT_EQ(Story().start(suspended(), 1), stays_put);
    EXPECT_EQ(Story().start(presumed_lost(), 1), stays_put);
    EXPECT_EQ(Story(1, WaitMode::tries_once).start(presumed_lost(), 1), asks(AwaitSession{}));
}

} // namespace
} // namespace docent::detail
