// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/wait_graph.hpp"

#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>

namespace docent::cli {
namespace {

Participant participant(RecipeKind recipe, ParticipantKind kind, const std::string& node, std::size_t position, bool holds,
                        int session) {
    return {.recipe = recipe,
            .kind = kind,
            .node_path = node,
            .position = position,
            .holds = holds,
            .data = {},
            .session_id = session,
            .fencing_token = 0};
}

/// A queue of sessions. The first one holds the lock.
LockState mutex(const std::string& path, std::initializer_list<int> sessions) {
    LockState lock{path, {}};
    for (const int session : sessions) {
        const auto position = lock.participants.size();
        const std::string node = path + "/lock-" + std::to_string(session) + '-' + std::to_string(position);
        lock.participants.push_back(
            participant(RecipeKind::mutex, ParticipantKind::lock, node, position, position == 0, session));
    }
    return lock;
}

/// "1>2>3" for a cycle in which session 1 waits for 2, 2 for 3, and 3 for 1.
std::string shape(const std::vector<Wait>& cycle) {
    std::string text;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
        text += (i ? ">" : "") + std::to_string(cycle[i].waiter.session_id);
        EXPECT_EQ(cycle[i].ahead.session_id, cycle[(i + 1) % cycle.size()].waiter.session_id);
    }
    return text;
}
std::vector<std::string> found_in(const std::vector<LockState>& locks) {
    std::vector<std::string> shapes;
    for (const auto& cycle : cycles(stuck_waits(locks, Tie::session), Tie::session)) shapes.push_back(shape(cycle));
    return shapes;
}
using Shapes = std::vector<std::string>;

TEST(WaitGraph, ThreeWaitForEachOther) {
    const std::vector<LockState> locks{mutex("/a", {1, 3}), mutex("/b", {2, 1}), mutex("/c", {3, 2})};
    EXPECT_EQ(found_in(locks), Shapes{"3>1>2"});
    const auto cycle = cycles(stuck_waits(locks, Tie::session), Tie::session).at(0);
    EXPECT_EQ(cycle[0].lock, "/a");
    EXPECT_EQ(cycle[1].lock, "/b");
    EXPECT_EQ(cycle[2].lock, "/c");
}

TEST(WaitGraph, AQueueIsNoCycle) {
    EXPECT_EQ(found_in({}), Shapes{});
    EXPECT_EQ(found_in({mutex("/a", {1, 2, 3}), mutex("/b", {1, 2}), mutex("/c", {3})}), Shapes{});
}

TEST(WaitGraph, WaitersAheadCountToo) { // 3 holds /b and stands in the queue of /a behind 1, which waits for /b
    EXPECT_EQ(found_in({mutex("/a", {2, 1, 3}), mutex("/b", {3, 1})}), Shapes{"3>1"});
}

TEST(WaitGraph, ASessionDoesNotWaitForItself) {
    EXPECT_EQ(found_in({mutex("/a", {1, 1, 1})}), Shapes{});
    EXPECT_EQ(found_in({mutex("/a", {1, 1, 2}), mutex("/b", {2, 1})}), Shapes{"2>1"});
}

TEST(WaitGraph, AWaiterForACycleIsNotInIt) {
    const std::vector<LockState> locks{mutex("/a", {1, 2}), mutex("/b", {2, 1, 3}), mutex("/c", {3, 4})};
    EXPECT_EQ(found_in(locks), Shapes{"2>1"});
    EXPECT_EQ(stuck_waits(locks, Tie::session).size(), 5U) << "3 behind two, 4 behind 3";
}

TEST(WaitGraph, EachOfTwoCycles) {
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

/// A semaphore: the first list of sessions holds its permits, the second list waits at its gate.
LockState semaphore(std::initializer_list<int> permits, std::initializer_list<int> gate) {
    LockState lock{"/s", {}};
    for (const int session : permits) {
        lock.participants.push_back(participant(RecipeKind::semaphore, ParticipantKind::lease,
                                                "/s/leases/" + std::to_string(session), lock.participants.size(), true,
                                                session));
    }
    for (const int session : gate) {
        lock.participants.push_back(participant(RecipeKind::semaphore, ParticipantKind::lock,
                                                "/s/locks/" + std::to_string(session),
                                                lock.participants.size() - permits.size(), false, session));
    }
    return lock;
}

TEST(WaitGraph, OnePermitThatMayComeBackIsEnough) {
    EXPECT_EQ(found_in({semaphore({1, 2}, {3}), mutex("/b", {3, 1})}), Shapes{}) << "2 is not stuck";
    EXPECT_EQ(found_in({semaphore({1, 2}, {3}), mutex("/b", {3, 1}), mutex("/c", {3, 2})}).size(), 1U);
    EXPECT_EQ(found_in({semaphore({1}, {4, 3}), mutex("/b", {3, 1})}), Shapes{"4>1>3"}) << "3 stands behind 4 at the gate";
}

TEST(WaitGraph, AReservedPermitDoesNotComeBack) {
    LockState permits = semaphore({1, 3}, {3});
    permits.participants[1].fencing_token =
        9; // above the token of the node at the gate: the session reserved the permit while it waits
    EXPECT_EQ(found_in({permits, mutex("/b", {3, 1})}), Shapes{"3>1"});
    permits.participants[1].fencing_token = -9; // below: a permit that another thread of the session holds
    EXPECT_EQ(found_in({permits, mutex("/b", {3, 1})}), Shapes{});
}

TEST(WaitGraph, OnlyWaitsThatBothLooksShow) {
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

// ---- owners

/// Like `mutex()`, with an owner for each session.
LockState owned(const std::string& path, const std::vector<std::pair<int, std::string>>& queue) {
    LockState lock{path, {}};
    for (const auto& [session, owner] : queue) {
        auto one = mutex(path, {session}).participants.front();
        one.position = lock.participants.size();
        one.node_path += "-" + std::to_string(one.position);
        one.holds = one.position == 0;
        one.owner = owner;
        lock.participants.push_back(one);
    }
    return lock;
}

/// "certain a>b" for each deadlock: the waiters of its cycle by their owners, or by their sessions if they have no owner.
std::vector<std::string> deadlocks(const std::vector<LockState>& locks) {
    std::vector<std::string> texts;
    for (const auto& [cycle, certain] : find_deadlocks(locks)) {
        std::string text = certain ? "certain " : "possible ";
        for (std::size_t i = 0; i < cycle.size(); ++i) {
            const Participant& one = cycle[i].waiter;
            text += (i ? ">" : "") + (one.owner.empty() ? std::to_string(one.session_id) : one.owner);
        }
        texts.push_back(text);
    }
    return texts;
}

TEST(WaitGraph, OwnersMakeItCertain) {
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {2, "y"}}), owned("/b", {{2, "y"}, {1, "x"}})}), Shapes{"certain y>x"});
    EXPECT_EQ(deadlocks({mutex("/a", {1, 2}), mutex("/b", {2, 1})}), Shapes{"possible 2>1"});
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {2, "y"}}), owned("/b", {{2, ""}, {1, "x"}})}), Shapes{"possible y>x"})
        << "2 may be another thread where it holds";
}

TEST(WaitGraph, OwnersMayHaveSeveralSessions) { // `docent lock` that `docent lock` runs
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {4, "y/2"}}), owned("/b", {{2, "y"}, {3, "x/1"}})}), Shapes{"certain y/2>x/1"});
    EXPECT_EQ(deadlocks({mutex("/a", {1, 4}), mutex("/b", {2, 3})}), Shapes{}) << "without owners, no cycle is known";
}

TEST(WaitGraph, AnOwnerBesideAnotherHoldsForItself) { // x runs x/1 and x/2: x/1 holds /a, x/2 waits for /b
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x/1"}, {4, "y"}}), owned("/b", {{5, "y"}, {2, "x/2"}})}), Shapes{});
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x/1"}, {4, "y"}}), owned("/b", {{5, "y"}, {2, "x"}})}), Shapes{})
        << "x has started x/1, and x/1 has not started x";
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {4, "y"}}), owned("/b", {{5, "y"}, {2, "xx/2"}})}), Shapes{}) << "another one";
}

TEST(WaitGraph, OneOwnerMayWaitForItself) {
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {2, "x/1"}})}), Shapes{"certain x/1"});
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {1, "x"}})}), Shapes{"certain x"});
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {9, ""}, {2, "x/1"}})}), Shapes{"certain x/1"}) << "behind somebody else";
    EXPECT_EQ(deadlocks({mutex("/a", {1, 1})}), Shapes{});
}

TEST(WaitGraph, OwnersTellTheThreadsOfASessionApart) {
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {2, "z"}}), owned("/b", {{2, "z"}, {1, "y"}})}), Shapes{})
        << "x and y are two threads: y waits, x does not";
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {1, "y"}}), owned("/b", {{1, "y"}, {1, "x"}})}), Shapes{"certain y>x"})
        << "two threads of one process";
}

TEST(WaitGraph,
     AttemptsOfOneOwnerThatWaitDoNotWaitForItself) { // one of the attempts was given up, and its node is being removed
    EXPECT_EQ(deadlocks({owned("/a", {{1, "y"}, {2, "x"}, {2, "x"}})}), Shapes{});
    EXPECT_EQ(deadlocks({owned("/a", {{1, "y"}, {2, "x"}, {2, "x"}}), owned("/b", {{3, "y"}, {1, "y"}})}), Shapes{"certain y"})
        << "x waits for the cycle, and is not in it";
    EXPECT_EQ(deadlocks({owned("/a", {{9, "y"}, {1, "x"}, {3, "z"}}), owned("/b", {{3, "z"}, {1, "x"}})}),
              Shapes{"possible z>x"})
        << "x waits at two places: it may be giving one up";
}

TEST(WaitGraph, CertainAndPossibleOnes) {
    EXPECT_EQ(deadlocks({owned("/a", {{1, "x"}, {2, "y"}}), owned("/b", {{2, "y"}, {1, "x"}}), mutex("/c", {3, 4}),
                         mutex("/d", {4, 3})}),
              (Shapes{"certain y>x", "possible 4>3"}));
}

TEST(WaitGraph, PermitsOfOneOwner) {
    LockState permits = semaphore({1, 2}, {3});
    permits.participants[0].owner = "x";
    permits.participants[1].owner = "x/1";
    permits.participants[2].owner = "x/1/1";
    EXPECT_EQ(deadlocks({permits}), Shapes{"certain x/1/1"}) << "those above it have all of them";
    permits.participants[1].owner = "y";
    EXPECT_EQ(deadlocks({permits}), Shapes{});
}

TEST(WaitGraph, LongQueuesTakeNoTime) { // 2 000 waiters behind a deadlock, and as many behind a session that goes on
    std::vector<std::pair<int, std::string>> stuck{{1, "x"}, {2, "y"}};
    std::vector<std::pair<int, std::string>> free{{9, "z"}};
    for (int i = 0; i < repetitions(2000); ++i) { // only the run without sanitizers is quick
        stuck.emplace_back(10 + i, "w" + std::to_string(i));
        free.emplace_back(10 + i, "w" + std::to_string(i));
    }
    EXPECT_EQ(deadlocks({owned("/a", stuck), owned("/b", {{2, "y"}, {1, "x"}}), owned("/c", free)}), Shapes{"certain y>x"});
}

} // namespace
} // namespace docent::cli
