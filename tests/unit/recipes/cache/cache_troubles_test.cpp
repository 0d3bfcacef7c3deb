// SPDX-License-Identifier: Apache-2.0
#include "cache_story.hpp"

namespace docent::detail {
namespace {
namespace cache_troubles_story {

using Seen = WatchEventType;

/// A cache of the children of /p that knows a and b.
CacheStory whole_with_two() {
    CacheStory story({.root = "/p", .shows_root = false, .depth = 1});
    story.start();
    story.connected();
    story.synced();
    story.listed("/p", {"a", "b"});
    story.read("/p/a", "1", 1, 4);
    EXPECT_EQ(story.read("/p/b", "2", 1, 4), "+/p/b, whole");
    return story;
}

TEST(CacheTroubles, AllIsReadAgainAfterAReconnectBehindASync) {
    CacheStory story = whole_with_two();
    EXPECT_EQ(story.disconnected(), "stale");
    EXPECT_FALSE(story.machine.whole());
    EXPECT_EQ(story.view.nodes().size(), 2U) << "what was known is shown meanwhile";
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "");
    EXPECT_EQ(story.disconnected(), "") << "it is stale already";
    EXPECT_EQ(story.connected(), "sync");
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "") << "it is read anyway";
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
    EXPECT_EQ(story.listed("/p", {"a", "b"}), "");
    EXPECT_EQ(story.read("/p/a", "1", 1, 4), "");
    EXPECT_EQ(story.read("/p/b", "5", 1, 7), "~/p/b, whole");
}

TEST(CacheTroubles, NodesThatCameAndWentMeanwhileAreSeen) {
    CacheStory story = whole_with_two();
    story.disconnected();
    story.connected();
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
    EXPECT_EQ(story.listed("/p", {"b", "c"}), "-/p/a, forget /p/a, read /p/c");
    EXPECT_EQ(story.read("/p/a", server_error::no_node), "");
    EXPECT_EQ(story.read("/p/b", "2", 9, 9), "-/p/b, +/p/b");
    EXPECT_EQ(story.read("/p/c", "3", 8, 8), "+/p/c, whole");
}

TEST(CacheTroubles, NothingIsReadBeforeTheServerHasCaughtUp) {
    CacheStory story = whole_with_two();
    story.disconnected();
    EXPECT_EQ(story.connected(), "sync");
    EXPECT_EQ(story.pause_over(), "");
    EXPECT_EQ(story.synced(server_error::throttled), "pause 1");
    EXPECT_EQ(story.pause_over(), "sync");
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
}

TEST(CacheTroubles, AnswersOfTheConnectionBeforeCountNoLonger) {
    CacheStory story = whole_with_two();
    story.seen("/p/a", Seen::data_changed);
    story.disconnected();
    EXPECT_EQ(story.connected(), "sync");
    EXPECT_EQ(story.read("/p/a", "0", 1, 2), "") << "of a server that lagged behind";
    EXPECT_EQ(story.view.find("/p/a")->data, "1");
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
}

TEST(CacheTroubles, ASyncOfTheConnectionBeforeIsNone) {
    CacheStory story = whole_with_two();
    story.disconnected();
    EXPECT_EQ(story.connected(), "sync");
    const CacheTicket before = 4; // tickets 1 to 4 went to the list, two reads and the first sync
    EXPECT_TRUE(story.machine.on_synced(before, {}).actions.empty());
}

TEST(CacheTroubles, AnEnsembleThatWentBackIsFollowed) {
    CacheStory story = whole_with_two();
    story.disconnected();
    story.connected();
    story.synced(); // the leader has no newer state
    EXPECT_EQ(story.read("/p/a", "0", 1, 2), "~/p/a");
}

TEST(CacheTroubles, AnotherBreakBeforeItIsWholeStartsOver) {
    CacheStory story = whole_with_two();
    story.disconnected();
    story.connected();
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
    EXPECT_EQ(story.listed("/p", {"a", "b"}), "");
    EXPECT_EQ(story.disconnected(), "") << "it is still stale";
    EXPECT_EQ(story.read("/p/a", server_error::connection_loss), "");
    EXPECT_EQ(story.read("/p/b", server_error::connection_loss), "");
    EXPECT_EQ(story.connected(), "sync");
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
    story.listed("/p", {"a", "b"});
    story.read("/p/a", "1", 1, 4);
    EXPECT_EQ(story.read("/p/b", "2", 1, 4), "whole");
}

TEST(CacheTroubles, ALostReplyWithoutABreakIsAskedForAgain) {
    CacheStory story = whole_with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.read("/p/a", server_error::operation_timeout), "pause 1");
    EXPECT_EQ(story.pause_over(), "read /p/a");
    EXPECT_EQ(story.read("/p/a", server_error::throttled), "pause 2");
    EXPECT_EQ(story.pause_over(), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "3", 1, 9), "~/p/a");
}

TEST(CacheTroubles, ANodeThatMayNotBeReadIsLeftOut) {
    CacheStory story = whole_with_two();
    story.disconnected();
    story.connected();
    story.synced();
    story.listed("/p", {"a", "b"});
    EXPECT_EQ(story.read("/p/a", server_error::no_auth), "-/p/a, !/p/a, pause 1");
    EXPECT_EQ(story.obstacle, error_code{});
    EXPECT_EQ(story.read("/p/b", "2", 1, 4), "whole") << "of what may be read";
    EXPECT_EQ(story.pause_over(), "read /p/a");
    EXPECT_EQ(story.read("/p/a", server_error::no_auth), "pause 2") << "that was told";
    EXPECT_EQ(story.pause_over(), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "1", 1, 4), "+/p/a");
}

TEST(CacheTroubles, ARefusalIsToldAgainIfTheNodeWasReadInBetween) {
    CacheStory story = whole_with_two();
    for (int times = 0; times < 2; ++times) {
        EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
        EXPECT_TRUE(story.read("/p/a", server_error::no_auth).starts_with("-/p/a, !/p/a, pause"));
        EXPECT_EQ(story.pause_over(), "read /p/a");
        EXPECT_EQ(story.read("/p/a", "1", 1, 4), "+/p/a");
    }
}

TEST(CacheTroubles, ARootThatMayNotBeReadIsAnObstacle) {
    CacheStory story({.root = "/p", .depth = 0});
    story.start();
    story.connected();
    story.synced();
    EXPECT_EQ(story.read("/p", server_error::no_auth), "!/p, pause 1");
    EXPECT_EQ(story.obstacle, server_error::no_auth);
    EXPECT_FALSE(story.machine.whole());
    EXPECT_EQ(story.pause_over(), "read /p");
    EXPECT_EQ(story.obstacle, error_code{}) << "only an answer tells";
    EXPECT_EQ(story.read("/p", "1"), "+/p, whole");
}

TEST(CacheTroubles, TooManyWatchesAreAnObstacle) {
    CacheStory story = whole_with_two();
    story.disconnected();
    story.connected();
    story.synced();
    story.listed("/p", {"a", "b"});
    EXPECT_EQ(story.read("/p/a", error::too_many_watches), "!/p/a, pause 1");
    EXPECT_EQ(story.obstacle, error::too_many_watches);
    EXPECT_EQ(story.read("/p/b", error::too_many_watches), "!/p/b") << "one pause for both";
    EXPECT_EQ(story.view.nodes().size(), 2U) << "out of date, but not gone";
    EXPECT_EQ(story.pause_over(), "read /p/a, read /p/b");
    story.read("/p/a", "1", 1, 4);
    EXPECT_FALSE(story.machine.whole());
    EXPECT_EQ(story.read("/p/b", "2", 1, 4), "whole");
}

TEST(CacheTroubles, DataThatCannotBeDecompressedIsReadAgainWhenItChanges) {
    CacheStory story = whole_with_two();
    story.seen("/p/a", Seen::data_changed);
    EXPECT_EQ(story.read("/p/a", error::corrupt_data), "-/p/a, !/p/a");
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "3", 1, 9), "+/p/a");
}

TEST(CacheTroubles, PausesGrowToAMinute) {
    CacheStory story({.root = "/p", .depth = 0});
    story.start();
    story.connected();
    story.synced();
    std::string last;
    for (int i = 0; i < 10; ++i) {
        last = story.read("/p", server_error::throttled);
        EXPECT_EQ(story.pause_over(), "read /p");
    }
    EXPECT_EQ(last, "pause 64");
    story.disconnected();
    story.connected();
    story.synced();
    EXPECT_EQ(story.read("/p", server_error::throttled), "pause 1");
}

} // namespace cache_troubles_story
} // namespace
} // namespace docent::detail
