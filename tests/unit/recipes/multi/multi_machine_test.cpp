// SPDX-License-Identifier: Apache-2.0
#include "multi/multi_machine.hpp"

#include "multi_actions.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <vector>

namespace docent::detail {
namespace {

const error_code none;
const error_code taken = error::not_acquired;
const error_code forbidden = server_error::no_auth;
const error_code aborted = boost::asio::error::operation_aborted;

struct Losses {
    std::set<std::size_t> gone; // lost locks whose loss is not reported yet
};
/// A machine for three locks, unless a test says otherwise.
struct MultiStory : Losses, MultiMachine {
    explicit MultiStory(WaitMode wait_mode = WaitMode::waits, std::size_t locks = 3)
        : MultiMachine(locks, wait_mode, [this](std::size_t lock) { return !gone.contains(lock); }) {}
};
using MultiStoryPtr = std::unique_ptr<MultiStory>;

FailAll fails(error_code ec, error_code first, error_code second, error_code third) {
    return {ec, {first, second, third}};
}
const auto nothing = multi_actions();

// Each of these functions leaves the machine in the step that it is named after.
MultiStoryPtr trying(WaitMode wait_mode = WaitMode::waits) {
    auto story = std::make_unique<MultiStory>(wait_mode);
    story->start();
    return story;
}
MultiStoryPtr trying_with_two_held() {
    auto story = trying();
    story->on_obtained(0);
    story->on_obtained(2);
    return story;
}
MultiStoryPtr waiting_for_the_first() {
    auto story = trying();
    story->on_failed(0, taken);
    story->on_obtained(1);
    story->on_obtained(2);
    return story;
}
MultiStoryPtr waiting_for_the_second() {
    auto story = trying_with_two_held();
    story->on_failed(1, taken);
    return story;
}
MultiStoryPtr waiting_for_the_last() {
    auto story = trying();
    story->on_obtained(0);
    story->on_obtained(1);
    story->on_failed(2, taken);
    return story;
}
MultiStoryPtr trying_the_rest() { // the first lock was taken after a wait
    auto story = waiting_for_the_first();
    story->on_obtained(0);
    return story;
}
MultiStoryPtr giving_up() {
    auto story = trying();
    story->on_obtained(0);
    story->on_failed(1, forbidden);
    return story;
}

TEST(MultiMachine, FreeLocksAreTriedAtOnceAndGranted) {
    MultiStory story;
    EXPECT_EQ(story.start(), multi_actions(TryLock{0}, TryLock{1}, TryLock{2}));
    EXPECT_EQ(story.on_obtained(2), nothing);
    EXPECT_EQ(story.on_obtained(0), nothing);
    EXPECT_EQ(story.on_obtained(1), multi_actions(GrantAll{}));
}

TEST(MultiMachine, OneLockIsAsGoodAsMany) {
    MultiStory story(WaitMode::waits, 1);
    EXPECT_EQ(story.start(), multi_actions(TryLock{0}));
    EXPECT_EQ(story.on_failed(0, taken), multi_actions(AwaitLock{0}));
    EXPECT_EQ(story.on_obtained(0), multi_actions(GrantAll{}));
}

TEST(MultiMachine, WaitingForTheFirstHoldsNothing) {
    const auto story = trying();
    EXPECT_EQ(story->on_failed(0, taken), nothing);
    EXPECT_EQ(story->on_obtained(1), nothing);
    EXPECT_EQ(story->on_obtained(2), multi_actions(GiveBack{1}, GiveBack{2}, AwaitLock{0}));
    EXPECT_EQ(story->on_obtained(0), multi_actions(TryLock{1}, TryLock{2}));
}

TEST(MultiMachine, WaitingKeepsEarlierLocksAndNoLaterOnes) {
    const auto story = trying();
    EXPECT_EQ(story->on_failed(1, taken), nothing);
    EXPECT_EQ(story->on_obtained(0), nothing);
    EXPECT_EQ(story->on_obtained(2), multi_actions(GiveBack{2}, AwaitLock{1}));
    EXPECT_EQ(story->on_obtained(1), multi_actions(TryLock{2}));
    EXPECT_EQ(story->on_obtained(2), multi_actions(GrantAll{}));
}

TEST(MultiMachine, WaitsForEachThatIsTakenInTurn) {
    const auto story = trying();
    story->on_failed(0, taken);
    story->on_failed(1, taken);
    EXPECT_EQ(story->on_failed(2, taken), multi_actions(AwaitLock{0}));
    EXPECT_EQ(story->on_obtained(0), multi_actions(TryLock{1}, TryLock{2}));
    EXPECT_EQ(story->on_failed(1, taken), nothing);
    EXPECT_EQ(story->on_failed(2, taken), multi_actions(AwaitLock{1}));
    EXPECT_EQ(story->on_obtained(1), multi_actions(TryLock{2}));
    EXPECT_EQ(story->on_failed(2, taken), multi_actions(AwaitLock{2}));
    EXPECT_EQ(story->on_obtained(2), multi_actions(GrantAll{}));
}

// ---- trying once

TEST(MultiMachine, ATryTakesAllThatAreFree) {
    const auto story = trying(WaitMode::tries_once);
    story->on_obtained(0);
    story->on_obtained(1);
    EXPECT_EQ(story->on_obtained(2), multi_actions(GrantAll{}));
}

TEST(MultiMachine, ATryNamesAllThatAreTaken) {
    const auto story = trying(WaitMode::tries_once);
    EXPECT_EQ(story->on_obtained(0), nothing);
    EXPECT_EQ(story->on_failed(1, taken), multi_actions(GiveBack{0})) << "others can take it at once";
    EXPECT_EQ(story->on_failed(2, taken), multi_actions(fails(taken, none, taken, taken)));
}

TEST(MultiMachine, ATryWhoseLocksWereLostTriesThemAgain) {
    const auto story = trying(WaitMode::tries_once);
    story->on_obtained(0);
    EXPECT_EQ(story->on_lost(0), multi_actions(GiveBack{0}));
    story->on_obtained(1);
    EXPECT_EQ(story->on_obtained(2), multi_actions(TryLock{0}));
    EXPECT_EQ(story->on_obtained(0), multi_actions(GrantAll{}));
}

// ---- errors

TEST(MultiMachine, AnErrorGivesAllBackAndWaitsForTheOthersErrors) {
    const auto story = trying();
    EXPECT_EQ(story->on_obtained(0), nothing);
    EXPECT_EQ(story->on_failed(1, forbidden), multi_actions(GiveBack{0}));
    EXPECT_EQ(story->on_failed(2, server_error::invalid_acl),
              multi_actions(fails(forbidden, none, forbidden, server_error::invalid_acl)));
}

TEST(MultiMachine, ALockThatArrivesAfterAnErrorIsReleased) {
    const auto story = giving_up();
    EXPECT_EQ(story->on_obtained(2), multi_actions(GiveBack{2}, fails(forbidden, none, forbidden, none)));
}

TEST(MultiMachine, AnErrorSaysMoreThanALockThatIsTaken) {
    const auto story = trying();
    story->on_failed(0, taken);
    story->on_obtained(1);
    EXPECT_EQ(story->on_failed(2, forbidden), multi_actions(GiveBack{1}, fails(forbidden, taken, none, forbidden)));
}

TEST(MultiMachine, AnErrorWhileWaitingGivesAllBack) {
    EXPECT_EQ(waiting_for_the_second()->on_failed(1, error::lock_node_deleted),
              multi_actions(GiveBack{0}, fails(error::lock_node_deleted, none, error::lock_node_deleted, none)));
}

TEST(MultiMachine, AWaitThatIsRefusedEnds) { // otherwise it would ask for ever
    EXPECT_EQ(waiting_for_the_first()->on_failed(0, taken), multi_actions(fails(taken, taken, none, none)));
}

// ---- losses

TEST(MultiMachine, ALossWhileTryingShowsWhenAllHaveAnswered) {
    const auto story = trying_with_two_held();
    EXPECT_EQ(story->on_lost(0), multi_actions(GiveBack{0}));
    EXPECT_EQ(story->on_obtained(1), multi_actions(GiveBack{1}, GiveBack{2}, AwaitLock{0}));
}

TEST(MultiMachine, ALossWhileWaitingGoesBackToTheLostOne) {
    const auto story = waiting_for_the_last();
    EXPECT_EQ(story->on_lost(0), multi_actions(GiveBack{0}, GiveBack{1}, AbortAttempt{2}, AwaitLock{0}));
    EXPECT_EQ(story->on_lost(1), nothing) << "given back already";
    EXPECT_EQ(story->on_obtained(0), multi_actions(TryLock{1}, TryLock{2}));
}

TEST(MultiMachine, ALossKeepsEarlierLocks) {
    const auto story = waiting_for_the_last();
    EXPECT_EQ(story->on_lost(1), multi_actions(GiveBack{1}, AbortAttempt{2}, AwaitLock{1}));
    EXPECT_EQ(story->on_lost(0), multi_actions(GiveBack{0}, AbortAttempt{1}, AwaitLock{0}));
}

TEST(MultiMachine, AnUnreportedLossIsSeenBeforeTheGrant) {
    const auto story = waiting_for_the_second();
    story->on_obtained(1);
    story->gone = {0};
    EXPECT_EQ(story->on_obtained(2), multi_actions(GiveBack{0}, GiveBack{1}, GiveBack{2}, AwaitLock{0}));
    story->gone = {};
    EXPECT_EQ(story->on_obtained(0), multi_actions(TryLock{1}, TryLock{2}));
    story->on_obtained(1);
    EXPECT_EQ(story->on_obtained(2), multi_actions(GrantAll{}));
}

TEST(MultiMachine, AnUnreportedLossIsSeenAfterTheLastWait) {
    const auto story = waiting_for_the_last();
    story->gone = {1};
    EXPECT_EQ(story->on_obtained(2), multi_actions(GiveBack{1}, GiveBack{2}, AwaitLock{1}));
}

TEST(MultiMachine, AnUnreportedLossIsSeenBeforeTheNextWait) {
    const auto story = trying_with_two_held();
    story->gone = {0};
    EXPECT_EQ(story->on_failed(1, taken), multi_actions(GiveBack{0}, GiveBack{2}, AwaitLock{0}));
}

// ---- the end, at each step

void abort_at_each_step(error_code ec) {
    struct Case {
        MultiStoryPtr story;
        MultiActions leaves;
        std::array<bool, 3> asked;
    };
    std::vector<Case> cases;
    cases.push_back({std::make_unique<MultiStory>(), nothing, {false, false, false}});
    cases.push_back({trying(), multi_actions(AbortAttempt{0}, AbortAttempt{1}, AbortAttempt{2}), {true, true, true}});
    cases.push_back({trying_with_two_held(), multi_actions(AbortAttempt{1}, GiveBack{0}, GiveBack{2}), {false, true, false}});
    cases.push_back({waiting_for_the_first(), multi_actions(AbortAttempt{0}), {true, false, false}});
    cases.push_back({waiting_for_the_second(), multi_actions(AbortAttempt{1}, GiveBack{0}), {false, true, false}});
    cases.push_back({waiting_for_the_last(), multi_actions(AbortAttempt{2}, GiveBack{0}, GiveBack{1}), {false, false, true}});
    cases.push_back({trying_the_rest(), multi_actions(AbortAttempt{1}, AbortAttempt{2}, GiveBack{0}), {false, true, true}});
    for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        auto& [story, leaves, asked] = cases[i];
        const auto of = [&, a = asked](std::size_t lock) { return a[lock] ? ec : none; };
        leaves.emplace_back(fails(ec, of(0), of(1), of(2)));
        EXPECT_EQ(story->on_abort(ec), leaves);
    }
}

TEST(MultiMachine, AbortedAtEachStepLeavesNothing) {
    abort_at_each_step(aborted);
    abort_at_each_step(taken);
}

TEST(MultiMachine, ADeadlineDoesNotHideAnError) {
    EXPECT_EQ(giving_up()->on_abort(taken), multi_actions(AbortAttempt{2}, fails(forbidden, none, forbidden, taken)));
}

TEST(MultiMachine, ACancellationIsTold) {
    EXPECT_EQ(giving_up()->on_abort(aborted), multi_actions(AbortAttempt{2}, fails(aborted, none, forbidden, aborted)));
}

TEST(MultiMachine, ADeadlineNamesOnlyTheAwaitedLock) {
    const auto story = trying();
    story->on_failed(0, taken);
    story->on_failed(1, taken);
    story->on_failed(2, taken);
    story->on_obtained(0);
    story->on_failed(1, taken);
    story->on_failed(2, taken);
    EXPECT_EQ(story->on_abort(taken), multi_actions(AbortAttempt{1}, GiveBack{0}, fails(taken, none, taken, none)));
}

TEST(MultiMachine, NothingFollowsTheEnd) {
    for (const error_code& end : {aborted, none}) {
        const auto story = trying_with_two_held();
        end ? story->on_abort(end) : story->on_obtained(1);
        EXPECT_EQ(story->on_failed(1, forbidden), nothing);
        EXPECT_EQ(story->on_abort(aborted), nothing);
        if (end) {
            EXPECT_EQ(story->on_lost(0), nothing);
            EXPECT_EQ(story->on_obtained(1), multi_actions(GiveBack{1})) << "too late";
        }
    }
}

} // namespace
} // namespace docent::detail
