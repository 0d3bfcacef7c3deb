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

TEST(WatchTable, ManySinksOfOnePathCostOneWatch) {
    WatchTable table;
    std::vector<WatchSink> sinks;
    for (int i = 0; i < 1000; ++i) table.add("/abc", WatchKind::data, sinks.emplace_back(sink()));
    EXPECT_EQ(table.bytes(), 8u);
    EXPECT_EQ(table.take("/abc", WatchEventType::data_changed).size(), 1000u);
}

TEST(WatchTable, RoomCountsWhatIsOnItsWay) {
    WatchTable table;
    const std::string path = "/" + std::string(WatchTable::capacity / 2 - 5, 'x');
    const WatchSink kept = sink();
    table.add(path, WatchKind::data, kept);
    EXPECT_TRUE(table.has_room("/" + std::string(1000, 'y'), WatchKind::data));
    table.reserve(path, WatchKind::data);
    EXPECT_FALSE(table.has_room("/" + std::string(1000, 'y'), WatchKind::data));
    EXPECT_TRUE(table.has_room(path, WatchKind::data)) << "it is watched already";
    EXPECT_FALSE(table.has_room(path, WatchKind::children));
    table.unreserve(path, WatchKind::data);
    EXPECT_TRUE(table.has_room("/" + std::string(1000, 'y'), WatchKind::data));
}

} // namespace
} // namespace docent::zk
