// SPDX-License-Identifier: Apache-2.0

// The knowledge of one client about a queue, and the use that a waiter makes of it.

#include "acquire_story.hpp"
#include "queue/queue_snapshot.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace docent::detail {

static void PrintTo(const Neighbours& part, std::ostream* out) {
    for (const Contender& each : part.queue) *out << each.name << ' ';
    *out << (part.whole ? "whole" : "in part");
}
static void PrintTo(const WaitFor& wait, std::ostream* out) {
    *out << wait.name << (wait.deletion == Deletion::admits ? " admits" : " list again");
}

namespace {

using enum server_error;

const std::string turn_1 = lock("a", 1);
const std::string turn_2 = lock("b", 2);
const std::string turn_3 = lock("c", 3);
const std::string turn_4 = lock("d", 4);

struct Known : QueueSnapshot {
    Known() : QueueSnapshot(mutex_names()) {}
};

// ---- contents

TEST(QueueSnapshot, TellsTheTwoNearestAhead) {
    Known queue;
    queue.on_listed({turn_3, turn_1, "stray", turn_4, turn_2});
    EXPECT_EQ(queue.before(turn_1), known({turn_1}, true));
    EXPECT_EQ(queue.before(turn_2), known({turn_1, turn_2}, true));
    EXPECT_EQ(queue.before(turn_4), known({turn_2, turn_3, turn_4}, true));
    EXPECT_EQ(queue.before(lock("x", 2)), std::nullopt);
    EXPECT_EQ(queue.before("stray"), std::nullopt);
}

TEST(QueueSnapshot, AContenderThatNoListShowedMayHaveUnknownContendersAhead) {
    Known queue;
    queue.on_listed({turn_1});
    queue.on_created(turn_3);
    EXPECT_EQ(queue.before(turn_3), known({turn_1, turn_3}, false));
    queue.on_created(turn_3);
    queue.on_created("stray");
    EXPECT_EQ(queue.before(turn_3), known({turn_1, turn_3}, false));
    queue.on_listed({turn_1, turn_2, turn_3});
    EXPECT_EQ(queue.before(turn_3), known({turn_1, turn_2, turn_3}, true));
    queue.on_created(turn_3); // reported late
    EXPECT_EQ(queue.before(turn_3), known({turn_1, turn_2, turn_3}, true));
}

/// The queue was removed and made again: its numbers start again.
TEST(QueueSnapshot, ANumberBelowThoseOfTheLastListIsNoProofOfHavingBeenInIt) {
    Known queue;
    queue.on_listed({turn_3, turn_4});
    queue.on_created(turn_2);
    EXPECT_EQ(queue.before(turn_2), known({turn_2}, false));
}

TEST(QueueSnapshot, ARemovedContenderIsNotReturned) {
    Known queue;
    queue.on_listed({turn_1, turn_2, turn_3, turn_4});
    queue.on_gone(turn_2);
    EXPECT_EQ(queue.before(turn_4), known({turn_1, turn_3, turn_4}, true));
    queue.on_gone(turn_1);
    queue.on_gone(turn_1);
    queue.on_gone("stray");
    EXPECT_EQ(queue.before(turn_4), known({turn_3, turn_4}, true));
    queue.on_gone(turn_3);
    EXPECT_EQ(queue.before(turn_4), known({turn_4}, true));
    queue.on_gone(turn_4);
    EXPECT_EQ(queue.before(turn_4), std::nullopt);
}

TEST(QueueSnapshot, KnowsThoseBehindAManyThatHaveGone) {
    Known queue;
    std::vector<std::string> names;
    for (int n = 0; n < 1000; ++n) names.push_back(lock("g" + std::to_string(n), n));
    queue.on_listed(names);
    for (std::size_t n = 2; n < names.size(); ++n) {
        EXPECT_EQ(queue.before(names[n]), known({names[n - 2], names[n - 1], names[n]}, true));
        queue.on_gone(names[n - 2]);
        EXPECT_EQ(queue.before(names[n]), known({names[n - 1], names[n]}, true));
    }
}

TEST(QueueSnapshot, KnowsNothingOfAnotherConnection) {
    Known queue;
    queue.on_listed({turn_1, turn_2});
    queue.on_gone(turn_1);
    queue.forget();
    EXPECT_EQ(queue.before(turn_2), std::nullopt);
    queue.on_created(turn_2);
    EXPECT_EQ(queue.before(turn_2), known({turn_2}, false));
}

/// A single waiter takes no more memory than it needs, however long the list.
TEST(QueueSnapshot, ASingleWaiterKeepsAtMostTwoContendersAhead) {
    Known queue;
    queue.on_listed({turn_3, turn_1, turn_4, turn_2}, turn_3);
    EXPECT_EQ(queue.before(turn_3), known({turn_1, turn_2, turn_3}, true));
    EXPECT_EQ(queue.before(turn_2), known({turn_1, turn_2}, false)) << "who asks may be another one of this client";
    EXPECT_EQ(queue.before(turn_4), std::nullopt) << "it came later";
    queue.on_gone(turn_1);
    EXPECT_EQ(queue.before(turn_3), known({turn_2, turn_3}, true));
    queue.on_listed({turn_1, turn_2}, turn_3);
    EXPECT_EQ(queue.before(turn_2), std::nullopt) << "the one who asked is not in line";
}

TEST(QueueSnapshot, OfManyItKeepsTheNearest) {
    Known queue;
    queue.on_listed({turn_3, turn_1, turn_4, turn_2}, turn_4);
    Neighbours nearest = known({turn_3, turn_4}, false);
    nearest.only_nearest = true;
    EXPECT_EQ(queue.before(turn_4), nearest);
    EXPECT_EQ(wait_for_known(nearest), std::nullopt) << "it does not know whether others are left";
    EXPECT_EQ(nearest_of(nearest), turn_3);
    queue.on_gone(turn_3);
    EXPECT_EQ(nearest_of(*queue.before(turn_4)), std::nullopt);
}

// ---- the node to wait for

TEST(NearestOf, IsReturnedIfAllContendersAheadAreKnown) {
    EXPECT_EQ(nearest_of(known({turn_1, turn_2, turn_3}, true)), turn_2);
    EXPECT_EQ(nearest_of(known({turn_1, turn_2, turn_3}, false)), std::nullopt);
    EXPECT_EQ(nearest_of(known({turn_1}, true)), std::nullopt);
    EXPECT_EQ(nearest_of({}), std::nullopt);
    const std::vector<std::string> of_a_reader{"_c_a-__WRIT__0000000001", "_c_b-__READ__0000000002"};
    EXPECT_EQ(nearest_of({sorted_queue(read_write_names(), of_a_reader), true}), std::nullopt);
}

TEST(WaitForKnown, WatchesTheOnlyContenderAheadIfAllAreKnown) {
    EXPECT_EQ(wait_for_known(known({turn_1, turn_2}, true)), (WaitFor{turn_1, Deletion::admits}));
}

TEST(WaitForKnown, WithMoreAheadOnlyAListTells) {
    EXPECT_EQ(wait_for_known(known({turn_1, turn_2, turn_3}, true)), std::nullopt);
}

TEST(WaitForKnown, WatchesTheSecondNearestIfNotAllAreKnown) {
    EXPECT_EQ(wait_for_known(known({turn_1, turn_2, turn_3}, false)), (WaitFor{turn_1, Deletion::list_again}));
    EXPECT_EQ(wait_for_known(known({turn_1, turn_2}, false)), std::nullopt);
}

TEST(WaitForKnown, NeverAdmits) {
    EXPECT_EQ(wait_for_known(known({turn_1}, true)), std::nullopt);
    EXPECT_EQ(wait_for_known(known({turn_1}, false)), std::nullopt);
    EXPECT_EQ(wait_for_known({}), std::nullopt);
}

TEST(WaitForKnown, NumbersNearTheirEndAreListed) {
    const std::string late = lock("x", last_number - 10);
    const std::string later = lock("y", last_number - 9);
    EXPECT_EQ(wait_for_known(known({late, later}, true)), std::nullopt);
    EXPECT_EQ(wait_for_known(known({late, lock("z", last_number)}, true)), std::nullopt);
}

// ---- use by a waiter

const std::string nearest = lock("x", 5);
const std::string before_it = lock("y", 3);

TEST(AcquireMachine, AWaiterWithKnownNeighboursListsLater) {
    AcquireStory story;
    EXPECT_EQ(story.start(connected()), actions(Enter{"g1"}));
    EXPECT_EQ(story.on_entered(entered_unlisted(known({before_it, nearest, own}, false))),
              actions(WatchOwn{own}, WatchAhead{before_it}));
    story.on_own_read({}, own_stat());
    story.on_ahead_read({}, first_session);
    EXPECT_EQ(story.on_ahead_event(deleted), actions(Look{own}));
    EXPECT_EQ(story.on_looked(known({nearest, own}, false)), actions(List{}));
    EXPECT_EQ(story.on_listed({}, {nearest, own}), actions(WatchAhead{nearest}));
}

TEST(AcquireMachine, AWaiterWithoutEnoughKnownNeighboursListsAtOnce) {
    for (const auto& part : {std::optional<Neighbours>{}, std::optional(known({nearest, own}, false)),
                             std::optional(known({own}, false)), std::optional(known({own}, true))}) {
        auto story = entering();
        EXPECT_EQ(story->on_entered(entered_unlisted(part)), actions(List{}));
        EXPECT_EQ(story->on_listed({}, {own}), actions(grant(false)));
    }
}

TEST(AcquireMachine, WatchesTheNearestFromTheSnapshotWithoutAList) {
    auto story = parked_behind_two();
    EXPECT_EQ(story->on_ahead_event(deleted), actions(Look{own}));
    EXPECT_EQ(story->on_looked(known({next, own}, true)), actions(WatchAhead{next}));
    EXPECT_EQ(story->on_ahead_read({}), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

const auto two_ahead = known({other, next, own}, true);

StoryPtr listing_with_watch() {
    auto story = parked_behind_two();
    story->on_ahead_event(deleted);
    EXPECT_EQ(story->on_looked(two_ahead), actions(List{}, WatchAhead{next}));
    return story;
}

TEST(AcquireMachine, ListsAndWatchesTheNearestInOneFlight) {
    auto story = listing_with_watch();
    EXPECT_EQ(story->on_listed({}, {next, own}), actions()) << "it is watched already";
    EXPECT_EQ(story->on_ahead_read({}), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(grant(true)));
}

TEST(AcquireMachine, TheNearestMayGoBetweenTheListAndTheWatch) {
    auto story = listing_with_watch();
    story->on_listed({}, {next, own});
    EXPECT_EQ(story->on_ahead_read(no_node), actions(grant(true)));
}

TEST(AcquireMachine, TheNearestMayGoBeforeTheList) {
    EXPECT_EQ(listing_with_watch()->on_listed({}, {own}), actions(grant(true)));
}

/// The second nearest waiter gave up, and other waiters are still ahead.
TEST(AcquireMachine, TheListReplacesTheWatchIfMoreContendersAreAhead) {
    auto story = listing_with_watch();
    EXPECT_EQ(story->on_listed({}, {other, next, own}), actions(WatchAhead{other}));
    EXPECT_EQ(story->on_ahead_read({}), actions());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(Look{own}));
}

TEST(AcquireMachine, ARepeatedListRepeatsTheWatch) {
    auto busy = listing_with_watch();
    EXPECT_EQ(busy->on_listed(throttled, {}), actions(Pause{std::chrono::milliseconds{100}}));
    EXPECT_EQ(busy->on_ahead_read({}), actions());
    EXPECT_EQ(busy->on_paused(), actions(List{}));
    EXPECT_EQ(busy->on_listed({}, {next, own}), actions(WatchAhead{next}));

    auto cut_off = listing_with_watch();
    EXPECT_EQ(cut_off->on_listed(connection_loss, {}), actions());
    EXPECT_EQ(cut_off->on_ahead_read(connection_loss), actions());
    cut_off->on_session(suspended());
    EXPECT_EQ(cut_off->on_session(connected()), actions(List{}));
    EXPECT_EQ(cut_off->on_listed({}, {next, own}), actions(WatchAhead{next}));
}

/// An attempt whose node is not watched sets that watch first.
TEST(AcquireMachine, AnEventOfTheOwnNodeRepeatsTheWatch) {
    auto story = listing_with_watch();
    EXPECT_EQ(story->on_own_event(WatchEventType::data_changed), actions(WatchOwn{own}));
    EXPECT_EQ(story->on_listed({}, {next, own}), actions(WatchAhead{next}));
    EXPECT_EQ(story->on_own_read({}, own_stat()), actions());
    EXPECT_EQ(story->on_ahead_read(no_node), actions(grant(true)));
}

/// An older list may show a node that is gone. The read finds out.
TEST(AcquireMachine, AMissingNodeOfTheSnapshotGrantsTheLock) {
    auto story = parked_behind_two();
    story->on_ahead_event(deleted);
    story->on_looked(known({next, own}, true));
    EXPECT_EQ(story->on_ahead_read(server_error::no_node), actions(grant(true)));
}

TEST(AcquireMachine, TheSnapshotAloneNeverGrants) {
    auto story = parked_behind_two();
    story->on_ahead_event(deleted);
    EXPECT_EQ(story->on_looked(known({own}, true)), actions(List{}));
}

TEST(AcquireMachine, ListsIfTheOrderOfEventsIsInDoubt) {
    auto story = parked_behind_two();
    story->on_session(suspended());
    story->on_session(connected());
    EXPECT_EQ(story->on_ahead_event(deleted), actions(List{}));
    auto without_own = parked_behind_two();
    without_own->on_own_event(WatchEventType::data_changed);
    EXPECT_EQ(without_own->on_ahead_event(deleted), actions(List{}));
}

TEST(AcquireMachine, ATryListsBeforeItFails) {
    auto story = entering(WaitMode::tries_once);
    EXPECT_EQ(story->on_entered(entered_unlisted(known({before_it, nearest, own}, false))), actions(List{}));
}

/// A writer ahead may have put a read node beside its write node since the last list.
TEST(AcquireMachine, AmongReadersAndWritersOnlyAListTells) {
    Surroundings surroundings;
    AcquireMachine machine({mutex_names(), WaitMode::waits, Deletion::list_again},
                           RetryPolicy::n_times(2, std::chrono::milliseconds{100}), surroundings.sources());
    machine.start(connected());
    machine.on_entered(entered({before_it, nearest, own}));
    machine.on_own_read({}, own_stat());
    machine.on_ahead_read({});
    machine.on_ahead_event(deleted);
    EXPECT_EQ(machine.on_looked(known({nearest, own}, true)), actions(List{}));
}

TEST(AcquireMachine, AmongWaitersOfItsClientALostCreateIsLookedForInAList) {
    auto story = entering();
    Entered lost = not_entered(server_error::connection_loss);
    lost.listed = false;
    EXPECT_EQ(story->on_entered(lost), actions());
    story->on_session(suspended());
    EXPECT_EQ(story->on_session(connected()), actions(FindOwn{"g1"}));
    EXPECT_EQ(story->on_found({}, {nearest, own}), actions(WatchOwn{own}));
}

} // namespace
} // namespace docent::detail
