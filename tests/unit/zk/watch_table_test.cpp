// SPDX-License-Identifier: Apache-2.0
#include "zk/watch_table.hpp"

#include <gtest/gtest.h>

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

TEST(WatchTable, WhoeverAsksAgainOnEachConnectionTakesNoMorePlaceForThat) {
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

TEST(WatchTable, RoomCountsWhatIsOnItsWayOnce) {
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

TEST(WatchTable, AbandonedWhenNobodyWaitsAndNothingIsOnItsWay) {
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
    table.reserve("/a", WatchKind::data); // its reply comes after that of the removal
    table.end_removal("/a", WatchKind::data, true);
    const WatchSink late = sink();
    table.unreserve("/a", WatchKind::data);
    table.add("/a", WatchKind::data, late);
    EXPECT_EQ(table.take("/a", WatchEventType::deleted), std::vector<WatchSink>{late});
}

} // namespace
} // namespace docent::zk
