// SPDX-License-Identifier: Apache-2.0
#include "cache_story.hpp"

namespace docent::detail {
namespace {
namespace cache_machine_story {

using Seen = WatchEventType;

/// A connected cache of the children of /p that has read nothing yet.
CacheStory begun(std::size_t in_flight = CacheMachine::most_in_flight) {
    CacheStory story({.root = "/p", .shows_root = false, .depth = 1}, in_flight);
    EXPECT_EQ(story.connected(), "");
    EXPECT_EQ(story.start(), "sync");
    EXPECT_EQ(story.synced(), "list /p");
    return story;
}
/// A cache that knows /p/a and /p/b and has no request under way.
CacheStory with_two() {
    CacheStory story = begun();
    EXPECT_EQ(story.listed("/p", {"a", "b"}), "read /p/a, read /p/b");
    EXPECT_EQ(story.read("/p/a", "1"), "+/p/a");
    EXPECT_EQ(story.read("/p/b", "2"), "+/p/b, whole");
    return story;
}

TEST(CacheMachine, WaitsForAConnection) {
    CacheStory story({.root = "/p", .depth = 0});
    EXPECT_EQ(story.start(), "");
    EXPECT_FALSE(story.machine.whole());
    EXPECT_EQ(story.connected(), "sync");
    EXPECT_EQ(story.synced(), "read /p");
    EXPECT_EQ(story.read("/p", "1"), "+/p, whole");
}

TEST(CacheMachine, ReadsAllChildren) {
    CacheStory story = with_two();
    EXPECT_EQ(story.view.children("/p").size(), 2U);
    EXPECT_EQ(story.view.find("/p/b")->data, "2");
    EXPECT_TRUE(story.machine.whole());
    EXPECT_EQ(story.start(), "") << "again: nothing happens";
}

TEST(CacheMachine, WithoutChildrenItIsWholeAtOnce) {
    CacheStory story = begun();
    EXPECT_EQ(story.listed("/p", std::vector<std::string>{}), "whole");
}

TEST(CacheMachine, ReadsOnlySoManyAtOnce) {
    CacheStory story = begun(2);
    EXPECT_EQ(story.listed("/p", {"a", "b", "c"}), "read /p/a, read /p/b");
    EXPECT_EQ(story.read("/p/a", "1"), "+/p/a, read /p/c");
    EXPECT_EQ(story.read("/p/b", "1"), "+/p/b");
    EXPECT_EQ(story.read("/p/c", "1"), "+/p/c, whole");
}

TEST(CacheMachine, ReadsChangedNodesAgain) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "3", 1, 5), "~/p/a");
    EXPECT_EQ(story.view.find("/p/a")->data, "3");
    EXPECT_TRUE(story.machine.whole()) << "a change does not make it less";
}

TEST(CacheMachine, AnUnchangedReadIsNoChange) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "1"), "");
}

TEST(CacheMachine, OneMoreEventWhileItIsReadIsOneMoreRead) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "");
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "");
    EXPECT_EQ(story.read("/p/a", "3", 1, 5), "~/p/a, read /p/a");
    EXPECT_EQ(story.read("/p/a", "3", 1, 5), "");
}

TEST(CacheMachine, ListsAgainWhenAChildComes) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "list /p");
    EXPECT_EQ(story.listed("/p", {"a", "b", "c"}), "read /p/c");
    EXPECT_EQ(story.read("/p/c", "3", 7, 7), "+/p/c");
}

TEST(CacheMachine, AChildThatGoesCostsTheListAlone) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::deleted), "");
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "list /p");
    EXPECT_EQ(story.listed("/p", {"b"}), "-/p/a, forget /p/a");
    EXPECT_FALSE(story.view.find("/p/a"));
}

TEST(CacheMachine, AChildMadeAgainBetweenWatchAndListIsReadAgain) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::deleted), "");
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "list /p");
    EXPECT_EQ(story.listed("/p", {"a", "b"}), "read /p/a") << "its watch has gone with it";
    EXPECT_EQ(story.read("/p/a", "1", 9, 9), "-/p/a, +/p/a") << "another node, though it looks alike";
}

TEST(CacheMachine, AChildMadeAgainBetweenWatchAndReadIsAnother) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "1", 9, 9), "-/p/a, +/p/a");
}

TEST(CacheMachine, AChildThatHasGoneBeforeItIsReadIsNotShown) {
    CacheStory story = begun();
    EXPECT_EQ(story.listed("/p", {"a"}), "read /p/a");
    EXPECT_EQ(story.read("/p/a", server_error::no_node), "whole, forget /p/a");
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "list /p");
    EXPECT_EQ(story.listed("/p", {"a"}), "read /p/a") << "it was made again";
    EXPECT_EQ(story.read("/p/a", "1", 9, 9), "+/p/a");
}

TEST(CacheMachine, AReadOfAChildThatHasLeftTheListIsIgnored) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::data_changed), "read /p/a");
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "list /p");
    EXPECT_EQ(story.listed("/p", {"b"}), "-/p/a, forget /p/a");
    EXPECT_EQ(story.read("/p/a", "5", 1, 5), "");
    EXPECT_FALSE(story.view.find("/p/a"));
}

TEST(CacheMachine, AnAnswerForADeletedNodeIsNoneForItsSuccessor) {
    CacheStory story = begun(1);
    EXPECT_EQ(story.listed("/p", {"a"}), "read /p/a");
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "");
    EXPECT_EQ(story.disconnected(), "");
    EXPECT_EQ(story.read("/p/a", server_error::connection_loss), "");
    EXPECT_EQ(story.connected(), "sync");
    EXPECT_EQ(story.synced(), "list /p");
    EXPECT_EQ(story.listed("/p", {"a"}), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "2"), "+/p/a, whole");
}

TEST(CacheMachine, ARootThatIsNotThereIsAwaited) {
    CacheStory story = begun();
    EXPECT_EQ(story.listed("/p", server_error::no_node), "await");
    EXPECT_EQ(story.awaited(server_error::no_node), "whole") << "there is nothing";
    EXPECT_EQ(story.seen("/p", Seen::created), "list /p");
    EXPECT_EQ(story.listed("/p", {"a"}), "read /p/a");
    EXPECT_EQ(story.read("/p/a", "1"), "+/p/a");
}

TEST(CacheMachine, ARootThatWasMadeMeanwhileIsRead) {
    CacheStory story = begun();
    EXPECT_EQ(story.listed("/p", server_error::no_node), "await");
    EXPECT_EQ(story.awaited({}), "list /p");
    EXPECT_EQ(story.seen("/p", Seen::data_changed), "") << "its data is not shown";
    EXPECT_EQ(story.listed("/p", std::vector<std::string>{}), "whole");
}

TEST(CacheMachine, ARootThatGoesTakesItsChildrenAlong) {
    CacheStory story = with_two();
    EXPECT_EQ(story.seen("/p/a", Seen::deleted), "");
    EXPECT_EQ(story.seen("/p", Seen::children_changed), "list /p");
    EXPECT_EQ(story.seen("/p", Seen::deleted), "");
    EXPECT_EQ(story.listed("/p", server_error::no_node), "-/p/a, -/p/b, forget /p/a, forget /p/b, await");
    EXPECT_TRUE(story.view.nodes().empty());
    EXPECT_EQ(story.awaited(server_error::no_node), "");
}

TEST(CacheMachine, CloseAsksForNothingMore) {
    for (int moment = 0; moment < 5; ++moment) {
        CacheStory story({.root = "/p", .shows_root = false, .depth = 1});
        if (moment > 0) story.start();
        if (moment > 1) story.connected();
        if (moment > 2) story.synced();
        if (moment > 3) story.listed("/p", {"a", "b"});
        const char* const forgets[] = {"", "forget /p", "forget /p", "forget /p", "forget /p, forget /p/a, forget /p/b"};
        EXPECT_EQ(story.closed(), forgets[moment]);
        EXPECT_EQ(story.connected(), "");
        EXPECT_EQ(story.start(), "");
        EXPECT_EQ(story.synced(), "");
        EXPECT_EQ(story.listed("/p", {"a"}), "");
        EXPECT_EQ(story.read("/p/a", "1"), "");
        EXPECT_EQ(story.seen("/p", Seen::children_changed), "");
        EXPECT_EQ(story.pause_over(), "");
    }
}

TEST(CacheMachine, ClosedItIsNoLongerWhole) {
    CacheStory story = with_two();
    EXPECT_EQ(story.closed(), "stale, forget /p, forget /p/a, forget /p/b");
    EXPECT_FALSE(story.machine.whole());
    EXPECT_EQ(story.view.nodes().size(), 2U) << "what was known is still shown";
}

} // namespace cache_machine_story
} // namespace
} // namespace docent::detail
