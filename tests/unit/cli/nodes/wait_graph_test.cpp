// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/wait_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace docent::cli {
namespace {

/// A queue of sessions; the first one holds.
LockState mutex(const std::string& path, std::initializer_list<int> sessions) {
    LockState lock{path, {}};
    for (const int session : sessions) {
        const auto position = lock.participants.size();
        lock.participants.push_back({.recipe = RecipeKind::mutex,
                                     .kind = ParticipantKind::lock,
                                     .node_path = path + "/lock-" + std::to_string(session) + '-' + std::to_string(position),
                                     .position = position,
                                     .holds = position == 0,
                                     .data = {},
                                     .session_id = session,
                                     .fencing_token = 0});
    }
    return lock;
}

/// "1>2>3" for a circle of which session 1 waits for 2, 2 for 3, and 3 for 1.
std::string shape(const std::vector<Wait>& circle) {
    std::string text;
    for (std::size_t i = 0; i < circle.size(); ++i) {
        text += (i ? ">" : "") + std::to_string(circle[i].waiter.session_id);
        EXPECT_EQ(circle[i].ahead.session_id, circle[(i + 1) % circle.size()].waiter.session_id);
    }
    return text;
}
std::vector<std::string> found_in(const std::vector<LockState>& locks) {
    std::vector<std::string> shapes;
    for (const auto& circle : circles(stuck_waits(locks))) shapes.push_back(shape(circle));
    return shapes;
}
using Shapes = std::vector<std::string>;

TEST(WaitGraph, ThreeWaitForEachOther) {
    const std::vector<LockState> locks{mutex("/a", {1, 3}), mutex("/b", {2, 1}), mutex("/c", {3, 2})};
    EXPECT_EQ(found_in(locks), Shapes{"3>1>2"});
    const auto circle = circles(stuck_waits(locks)).at(0);
    EXPECT_EQ(circle[0].lock, "/a");
    EXPECT_EQ(circle[1].lock, "/b");
    EXPECT_EQ(circle[2].lock, "/c");
}

TEST(WaitGraph, AQueueIsNoCircle) {
    EXPECT_EQ(found_in({}), Shapes{});
    EXPECT_EQ(found_in({mutex("/a", {1, 2, 3}), mutex("/b", {1, 2}), mutex("/c", {3})}), Shapes{});
}

TEST(WaitGraph, WaitersAheadCountToo) { // 3 holds /b, and stands behind 1 in the queue of /a, who waits for /b
    EXPECT_EQ(found_in({mutex("/a", {2, 1, 3}), mutex("/b", {3, 1})}), Shapes{"3>1"});
}

TEST(WaitGraph, ASessionDoesNotWaitForItself) {
    EXPECT_EQ(found_in({mutex("/a", {1, 1, 1})}), Shapes{});
    EXPECT_EQ(found_in({mutex("/a", {1, 1, 2}), mutex("/b", {2, 1})}), Shapes{"2>1"});
}

TEST(WaitGraph, WhoWaitsForACircleIsNotInIt) {
    const std::vector<LockState> locks{mutex("/a", {1, 2}), mutex("/b", {2, 1, 3}), mutex("/c", {3, 4})};
    EXPECT_EQ(found_in(locks), Shapes{"2>1"});
    EXPECT_EQ(stuck_waits(locks).size(), 5U) << "3 behind two, 4 behind 3";
}

TEST(WaitGraph, EachOfTwoCircles) {
    EXPECT_EQ(found_in({mutex("/a", {1, 2}), mutex("/b", {2, 1}), mutex("/c", {3, 4}), mutex("/d", {4, 3})}),
              (Shapes{"2>1", "4>3"}));
}

TEST(WaitGraph, ReadersDoNotWaitForReaders) {
    LockState rw = mutex("/rw", {1, 2, 3});
    for (auto& one : rw.participants) one.recipe = RecipeKind::read_write_lock;
    for (auto& one : rw.participants) one.kind = ParticipantKind::read;
    rw.participants[1].holds = true;
    rw.participants[2].holds = true;
    EXPECT_EQ(found_in({rw, mutex("/b", {3, 1})}), Shapes{});
    rw.participants[2].kind = ParticipantKind::write;
    rw.participants[2].holds = false;
    EXPECT_EQ(found_in({rw, mutex("/b", {3, 1})}), Shapes{"3>1"});
}

/// A semaphore whose permits these sessions hold, and at whose gate those wait.
LockState semaphore(std::initializer_list<int> permits, std::initializer_list<int> gate) {
    LockState lock{"/s", {}};
    for (const int session : permits) {
        lock.participants.push_back({RecipeKind::semaphore,
                                     ParticipantKind::lease,
                                     "/s/leases/" + std::to_string(session),
                                     lock.participants.size(),
                                     true,
                                     {},
                                     session,
                                     0});
    }
    std::size_t position = 0;
    for (const int session : gate) {
        lock.participants.push_back({RecipeKind::semaphore,
                                     ParticipantKind::lock,
                                     "/s/locks/" + std::to_string(session),
                                     position,
                                     false,
                                     {},
                                     session,
                                     0});
        ++position;
    }
    return lock;
}

TEST(WaitGraph, OnePermitThatMayComeBackIsEnough) {
    EXPECT_EQ(found_in({semaphore({1, 2}, {3}), mutex("/b", {3, 1})}), Shapes{}) << "2 is not stuck";
    EXPECT_EQ(found_in({semaphore({1, 2}, {3}), mutex("/b", {3, 1}), mutex("/c", {3, 2})}).size(), 1U);
    EXPECT_EQ(found_in({semaphore({1}, {4, 3}), mutex("/b", {3, 1})}), Shapes{"4>1>3"}) << "3 stands behind 4 at the gate";
}

TEST(WaitGraph, WhatIsOnlyReservedDoesNotComeBack) {
    LockState permits = semaphore({1, 3}, {3});
    permits.participants[1].fencing_token = 9; // above that of the node at the gate: what it waits with
    EXPECT_EQ(found_in({permits, mutex("/b", {3, 1})}), Shapes{"3>1"});
    permits.participants[1].fencing_token = -9; // another thread's
    EXPECT_EQ(found_in({permits, mutex("/b", {3, 1})}), Shapes{});
}

TEST(WaitGraph, OnlyWhatIsThereAtBothLooks) {
    const std::vector<LockState> first{mutex("/a", {1, 2}), mutex("/b", {2, 1})};
    EXPECT_EQ(found_in(in_both(first, first)), Shapes{"2>1"});
    EXPECT_EQ(found_in(in_both(first, {mutex("/a", {1, 2}), mutex("/b", {1})})), Shapes{}) << "2 has left";
    EXPECT_EQ(found_in(in_both(first, {mutex("/a", {1, 2})})), Shapes{});
    const std::vector<LockState> permits{semaphore({1, 2}, {3}), mutex("/b", {3, 1}), mutex("/c", {3, 2})};
    EXPECT_EQ(found_in(in_both(permits, permits)).size(), 1U);
    EXPECT_EQ(found_in(in_both(permits, {semaphore({1}, {3}), permits[1], permits[2]})), Shapes{}) << "a permit is free";
    std::vector<LockState> later = first;
    later[0].participants[1].holds = true; // its turn has come
    EXPECT_EQ(found_in(in_both(first, later)), Shapes{});
}

} // namespace
} // namespace docent::cli
