// SPDX-License-Identifier: Apache-2.0
#include "zk/watch_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace docent::zk {
namespace {

WatchSink sink() {
    return make_watch_sink([](const WatchEvent&) {});
}

TEST(WatchTable, TellsEachKindItsEvents) {
    WatchTable table;
    const WatchSink data = sink();
    const WatchSink exists = sink();
    const WatchSink children = sink();
    const auto add_all = [&] {
        table.add("/a", WatchKind::data, data);
        table.add("/a", WatchKind::exists, exists);
        table.add("/a", WatchKind::children, children);
    };
    using Sinks = std::vector<WatchSink>;
    add_all();
    EXPECT_EQ(table.take("/a", WatchEventType::data_changed), (Sinks{data, exists}));
    EXPECT_EQ(table.take("/a", WatchEventType::data_changed), Sinks{}) << "one-shot";
    EXPECT_EQ(table.take("/a", WatchEventType::children_changed), Sinks{children});
    add_all();
    EXPECT_EQ(table.take("/a", WatchEventType::deleted), (Sinks{data, exists, children}));
    add_all();
    EXPECT_EQ(table.take("/a", WatchEventType::created), (Sinks{data, exists}));
    EXPECT_EQ(table.take("/b", WatchEventType::created), Sinks{});
    EXPECT_EQ(table.take_all().size(), 1u);
    EXPECT_EQ(table.bytes(), 0u);
}

TEST(WatchTable, DroppedSinksAreNotTold) {
    WatchTable table;
    table.add("/a", WatchKind::data, sink());
    EXPECT_TRUE(table.take("/a", WatchEventType::deleted).empty());
}

TEST(WatchTable, AskingAgainOnEachConnectionTakesNoMoreRoom) {
    WatchTable table;
    const WatchSink first = sink(), second = sink();
    for (int connection = 0; connection < 1000; ++connection) {
        table.add("/a", WatchKind::data, first);
        table.add("/a", WatchKind::data, second);
    }
    EXPECT_LE(table.places(), 10U);
    EXPECT_EQ(table.take("/a", WatchEventType::data_changed), (std::vector<WatchSink>{first, second}));
}

TEST(WatchTable, ManySinksOfOnePathCostOneWatch) {
    WatchTable table;
    std::vector<WatchSink> sinks;
    for (int i = 0; i < 1000; ++i) table.add("/abc", WatchKind::data, sinks.emplace_back(sink()));
    EXPECT_EQ(table.bytes(), 8u);
    EXPECT_EQ(table.take("/abc", WatchEventType::data_changed).size(), 1000u);
}

TEST(WatchTable, RoomCountsRequestsUnderWayOnce) {
    WatchTable table;
    const std::string path = "/" + std::string(WatchTable::capacity - 5, 'x');
    const std::string other = "/y";
    table.reserve(path, WatchKind::data);
    EXPECT_FALSE(table.has_room(other, WatchKind::data));
    EXPECT_TRUE(table.has_room(path, WatchKind::data)) << "for another one who waits for the same";
    EXPECT_FALSE(table.has_room(path, WatchKind::children));
    table.reserve(path, WatchKind::data);
    table.unreserve(path, WatchKind::data);
    EXPECT_FALSE(table.has_room(other, WatchKind::data)) << "one is on its way still";
    table.unreserve(path, WatchKind::data);
    EXPECT_TRUE(table.has_room(other, WatchKind::data));
}

TEST(WatchTable, RoomOfAWatchIsKeptForThatOnItsWay) {
    WatchTable table;
    const std::string path = "/" + std::string(WatchTable::capacity - 5, 'x');
    const std::string other = "/y";
    const WatchSink kept = sink();
    table.add(path, WatchKind::data, kept);
    table.reserve(path, WatchKind::data);
    EXPECT_FALSE(table.has_room(other, WatchKind::data));
    EXPECT_EQ(table.take(path, WatchEventType::data_changed).size(), 1u);
    EXPECT_FALSE(table.has_room(other, WatchKind::data)) << "the answer is still to come";
    EXPECT_TRUE(table.has_room(path, WatchKind::data));
    table.unreserve(path, WatchKind::data);
    EXPECT_TRUE(table.has_room(other, WatchKind::data));
}

TEST(WatchTable, IsAbandonedWithoutWaitersAndRequests) {
    WatchTable table;
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data)) << "the server has none";
    WatchSink data = sink();
    table.add("/a", WatchKind::data, data);
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data)) << "somebody waits";
    data.reset();
    EXPECT_TRUE(table.is_abandoned("/a", WatchKind::data));
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::children)) << "another watch";
    table.reserve("/a", WatchKind::data);
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data)) << "its removal would take the watch that is being set";
    table.unreserve("/a", WatchKind::data);
    EXPECT_TRUE(table.is_abandoned("/a", WatchKind::data));
}

TEST(WatchTable, DataAndExistsAreOneWatchOnTheServer) {
    WatchTable table;
    WatchSink exists = sink();
    table.add("/a", WatchKind::data, sink());
    table.add("/a", WatchKind::exists, exists);
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data));
    table.reserve("/a", WatchKind::exists);
    exists.reset();
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data));
    table.unreserve("/a", WatchKind::exists);
    EXPECT_TRUE(table.is_abandoned("/a", WatchKind::data));
    table.begin_removal("/a", WatchKind::data);
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::exists)) << "it is on its way already";
    table.end_removal("/a", WatchKind::data, true);
    EXPECT_EQ(table.bytes(), 0u);
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data));
}

TEST(WatchTable, LostRemovalLeavesTheWatch) {
    WatchTable table;
    table.add("/a", WatchKind::data, sink());
    const auto bytes = table.bytes();
    table.begin_removal("/a", WatchKind::data);
    table.end_removal("/a", WatchKind::data, false);
    EXPECT_EQ(table.bytes(), bytes);
    EXPECT_TRUE(table.is_abandoned("/a", WatchKind::data)) << "to be tried again";
}

TEST(WatchTable, WatchSetAfterTheRemovalWasSentIsKept) {
    WatchTable table;
    table.add("/a", WatchKind::data, sink());
    table.begin_removal("/a", WatchKind::data);
    table.reserve("/a", WatchKind::data); // this reply comes after the reply of the removal
    table.end_removal("/a", WatchKind::data, true);
    const WatchSink late = sink();
    table.unreserve("/a", WatchKind::data);
    table.add("/a", WatchKind::data, late);
    EXPECT_EQ(table.take("/a", WatchEventType::deleted), std::vector<WatchSink>{late});
}

// ---- events that never come

constexpr WatchTable::Time t0{};
constexpr auto soon = t0 + std::chrono::seconds{1};
constexpr auto later = t0 + std::chrono::seconds{2};

NodeState seen(std::int64_t mzxid, std::int64_t pzxid = 1) {
    return {NodeState::Presence::readable, 1, mzxid, pzxid};
}
const NodeState gone{.presence = NodeState::Presence::missing};
const NodeState hidden{.presence = NodeState::Presence::unreadable};

/// Sends a read with a watch and answers it.
std::vector<WatchTable::LostEvent> watch(WatchTable& table, const std::string& path, WatchKind kind, const WatchSink& sink,
                                         const NodeState& state) {
    table.reserve(path, kind);
    auto lost = table.on_told(path, state, soon);
    if (state == hidden) table.add_unwatched(path, kind, sink);
    else table.add(path, kind, sink);
    table.unreserve(path, kind);
    return lost;
}

std::vector<std::string> due(WatchTable& table, WatchTable::Time now, std::size_t most = 10) {
    auto paths = table.due(now, most, [now] { return now + std::chrono::seconds{1}; });
    std::sort(paths.begin(), paths.end());
    return paths;
}

TEST(WatchTableLooks, ALostEventReachesTheWaitersOfItsKind) {
    WatchTable table;
    const WatchSink data = sink(), children = sink();
    watch(table, "/a", WatchKind::data, data, seen(1));
    watch(table, "/a", WatchKind::children, children, seen(1));
    EXPECT_TRUE(table.on_told("/a", seen(1), soon).empty());
    const auto lost = table.on_told("/a", seen(2), soon);
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].type, WatchEventType::data_changed);
    EXPECT_EQ(lost[0].sinks, std::vector{data});
    EXPECT_TRUE(table.on_told("/a", seen(3), soon).empty()) << "told once";
    const auto both = table.on_told("/a", gone, soon);
    ASSERT_EQ(both.size(), 1u);
    EXPECT_EQ(both[0].type, WatchEventType::deleted);
    EXPECT_EQ(both[0].sinks, std::vector{children});
}

TEST(WatchTableLooks, AnotherWaitersReadIsALookForAllOfThem) {
    WatchTable table;
    const WatchSink first = sink(), second = sink();
    watch(table, "/a", WatchKind::data, first, seen(1));
    const auto lost = watch(table, "/a", WatchKind::data, second, seen(2));
    ASSERT_EQ(lost.size(), 1u);
    EXPECT_EQ(lost[0].sinks, std::vector{first});
    EXPECT_EQ(table.take("/a", WatchEventType::data_changed), std::vector{second}) << "it knew the newer state";
}

TEST(WatchTableLooks, EventThatHasComeIsNotLost) {
    WatchTable table;
    const WatchSink one = sink();
    watch(table, "/a", WatchKind::data, one, seen(1));
    EXPECT_EQ(table.take("/a", WatchEventType::data_changed), std::vector{one});
    EXPECT_TRUE(table.on_told("/a", seen(2), soon).empty());
}

TEST(WatchTableLooks, AfterALostEventTheServersWatchIsForgottenUnlessItIsSetAgain) {
    WatchTable table;
    const WatchSink one = sink();
    watch(table, "/a", WatchKind::data, one, seen(1));
    table.on_told("/a", seen(2), soon);
    EXPECT_TRUE(table.is_abandoned("/a", WatchKind::data));
    watch(table, "/a", WatchKind::data, one, seen(2));
    EXPECT_FALSE(table.is_abandoned("/a", WatchKind::data));
}

TEST(WatchTableLooks, NodeThatMayNotBeReadTakesNoWatchAndIsLookedAt) {
    WatchTable table;
    WatchSink one = sink();
    watch(table, "/a", WatchKind::exists, one, hidden);
    EXPECT_EQ(table.on_server(), 0u);
    EXPECT_EQ(table.bytes(), 0u);
    EXPECT_EQ(due(table, soon), std::vector<std::string>{"/a"});
    {
        const auto lost = table.on_told("/a", gone, later);
        ASSERT_EQ(lost.size(), 1u);
        EXPECT_EQ(lost[0].type, WatchEventType::deleted);
    }
    watch(table, "/a", WatchKind::exists, one, hidden);
    one.reset();
    EXPECT_TRUE(due(table, later).empty()) << "nobody waits any more";
    EXPECT_EQ(table.places(), 0u);
}

TEST(WatchTableLooks, EachPathIsDueOnceHoweverManyWait) {
    WatchTable table;
    std::vector<WatchSink> sinks;
    for (int i = 0; i < 1000; ++i) watch(table, "/a", WatchKind::data, sinks.emplace_back(sink()), seen(1));
    watch(table, "/b", WatchKind::children, sinks.front(), seen(1));
    EXPECT_TRUE(due(table, t0).empty());
    EXPECT_EQ(due(table, soon), (std::vector<std::string>{"/a", "/b"}));
    EXPECT_TRUE(due(table, soon).empty()) << "until it is due again";
    EXPECT_EQ(due(table, later), (std::vector<std::string>{"/a", "/b"}));
}

TEST(WatchTableLooks, ThoseThatWaitTheLongestComeFirst) {
    WatchTable table;
    const WatchSink one = sink();
    for (const char* path : {"/a", "/b", "/c"}) watch(table, path, WatchKind::data, one, seen(1));
    table.on_told("/a", seen(1), soon + std::chrono::milliseconds{500});
    EXPECT_EQ(due(table, later, 2), (std::vector<std::string>{"/b", "/c"}));
    EXPECT_EQ(due(table, later, 2), (std::vector<std::string>{"/a"}));
}

using enum WatchEventType;
using Presence = NodeState::Presence;

constexpr NodeState unknown{};
constexpr NodeState missing{.presence = Presence::missing};
constexpr NodeState unreadable{.presence = Presence::unreadable};
constexpr NodeState readable(std::int64_t czxid, std::int64_t mzxid, std::int64_t pzxid) {
    return {Presence::readable, czxid, mzxid, pzxid};
}
constexpr NodeState node = readable(5, 7, 8);
constexpr auto every_kind = {WatchKind::data, WatchKind::exists, WatchKind::children};

TEST(WatchLook, AnswersSayWhetherTheNodeExists) {
    EXPECT_EQ(told_by({}, {.czxid = 5, .mzxid = 7, .pzxid = 8}), node);
    EXPECT_EQ(told_by(server_error::no_node, {}), missing);
    EXPECT_EQ(told_by(server_error::no_auth, {}), unreadable) << "a server looks at the ACL of a node that exists";
    for (const error_code ec : {error_code(server_error::connection_loss), error_code(server_error::throttled)}) {
        EXPECT_EQ(told_by(ec, {}), unknown);
    }
}

TEST(WatchLook, NodeThatStaysAsItIsHasNoEvent) {
    for (const WatchKind kind : every_kind) {
        for (const NodeState& state : {missing, unreadable, node}) EXPECT_EQ(missed_event(kind, state, state), std::nullopt);
        EXPECT_EQ(missed_event(kind, node, unreadable), std::nullopt) << "it exists";
        EXPECT_EQ(missed_event(kind, node, unknown), std::nullopt);
        EXPECT_EQ(missed_event(kind, unknown, node), std::nullopt);
        EXPECT_EQ(missed_event(kind, unknown, missing), std::nullopt);
    }
}

TEST(WatchLook, NodeThatHasGoneWasDeleted) {
    for (const WatchKind kind : every_kind) {
        EXPECT_EQ(missed_event(kind, node, missing), deleted);
        EXPECT_EQ(missed_event(kind, unreadable, missing), deleted);
        EXPECT_EQ(missed_event(kind, node, readable(9, 9, 9)), deleted) << "another node is in its place";
    }
}

TEST(WatchLook, NodeThatIsThereNowWasCreated) {
    EXPECT_EQ(missed_event(WatchKind::exists, missing, node), created);
    EXPECT_EQ(missed_event(WatchKind::exists, missing, unreadable), created) << "also if it may not be read";
}

TEST(WatchLook, EachKindHearsOfItsOwnChanges) {
    const NodeState written = readable(5, 9, 8);
    const NodeState with_child = readable(5, 7, 9);
    EXPECT_EQ(missed_event(WatchKind::data, node, written), data_changed);
    EXPECT_EQ(missed_event(WatchKind::exists, node, written), data_changed);
    EXPECT_EQ(missed_event(WatchKind::children, node, written), std::nullopt);
    EXPECT_EQ(missed_event(WatchKind::data, node, with_child), std::nullopt);
    EXPECT_EQ(missed_event(WatchKind::children, node, with_child), children_changed);
    EXPECT_EQ(missed_event(WatchKind::data, node, readable(5, 6, 8)), data_changed) << "an ensemble went back";
}

TEST(WatchLook, ANodeThatIsReadableAgainIsComparedWithItsOldState) {
    EXPECT_EQ(known_after(node, unreadable), node) << "the zxids stay known";
    EXPECT_EQ(known_after(node, unknown), node);
    EXPECT_EQ(known_after(node, missing), missing);
    EXPECT_EQ(known_after(missing, unreadable), unreadable);
    EXPECT_EQ(missed_event(WatchKind::data, unreadable, node), data_changed) << "nobody could read it before";
    EXPECT_EQ(missed_event(WatchKind::children, unreadable, node), children_changed);
}

TEST(WatchLook, LooksAreASessionTimeoutApartAndSpread) {
    using namespace std::chrono_literals;
    const std::chrono::steady_clock::time_point now{100s};
    EXPECT_EQ(next_look(now, 4s, 0), now + 4s);
    EXPECT_EQ(next_look(now, 4s, 999), now + 4s + 999ms);
    EXPECT_EQ(next_look(now, 4s, 1000), now + 4s);
    EXPECT_EQ(look_interval(4s, Heartbeats::frequent), 4s);
    EXPECT_EQ(look_interval(4s, Heartbeats::relaxed), 12s);
}

} // namespace
} // namespace docent::zk
