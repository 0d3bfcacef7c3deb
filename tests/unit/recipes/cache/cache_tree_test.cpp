// SPDX-License-Identifier: Apache-2.0
#include "cache_story.hpp"

namespace docent::detail {
namespace {
namespace cache_tree_story {

using Seen = WatchEventType;

/// A cache of the tree /t, /t/a and /t/a/b.
CacheStory tree_of_three(int depth = 2) {
    CacheStory story({.root = "/t", .depth = depth});
    story.start();
    story.connected();
    EXPECT_EQ(story.synced(), "read /t, list /t");
    EXPECT_EQ(story.read("/t", "0"), "+/t");
    EXPECT_EQ(story.listed("/t", {"a"}), "read /t/a, list /t/a");
    EXPECT_EQ(story.read("/t/a", "1"), "+/t/a");
    EXPECT_EQ(story.listed("/t/a", {"b"}), depth == 2 ? "read /t/a/b" : "read /t/a/b, list /t/a/b");
    EXPECT_EQ(story.read("/t/a/b", "2"), depth == 2 ? "+/t/a/b, whole" : "+/t/a/b");
    return story;
}

TEST(CacheTree, IsReadDownToItsDepth) {
    CacheStory story = tree_of_three();
    EXPECT_EQ(story.view.nodes().size(), 3U);
    EXPECT_TRUE(story.view.children("/t/a").contains("b"));
    CacheStory deeper = tree_of_three(3);
    EXPECT_EQ(deeper.listed("/t/a/b", std::vector<std::string>{}), "whole");
}

TEST(CacheTree, ABranchThatGoesIsToldFromItsLeaves) {
    CacheStory story = tree_of_three();
    EXPECT_EQ(story.seen("/t/a/b", Seen::deleted), "");
    EXPECT_EQ(story.seen("/t/a", Seen::children_changed), "list /t/a");
    EXPECT_EQ(story.seen("/t/a", Seen::deleted), "");
    EXPECT_EQ(story.seen("/t", Seen::children_changed), "list /t");
    EXPECT_EQ(story.listed("/t/a", server_error::no_node), "-/t/a/b, -/t/a, forget /t/a/b, forget /t/a");
    EXPECT_EQ(story.listed("/t", std::vector<std::string>{}), "");
    EXPECT_EQ(story.view.nodes().size(), 1U);
}

TEST(CacheTree, ABranchMadeAgainIsReadAnewWithAllThatIsBelowIt) {
    CacheStory story = tree_of_three();
    EXPECT_EQ(story.seen("/t/a/b", Seen::deleted), "");
    EXPECT_EQ(story.seen("/t/a", Seen::children_changed), "list /t/a");
    EXPECT_EQ(story.listed("/t/a", {"b"}), "read /t/a/b") << "made again, below another node of the same name";
    EXPECT_EQ(story.seen("/t/a", Seen::deleted), "");
    EXPECT_EQ(story.seen("/t", Seen::children_changed), "list /t");
    EXPECT_EQ(story.listed("/t", {"a"}), "read /t/a, list /t/a");
    EXPECT_EQ(story.read("/t/a/b", "2", 12, 12), "-/t/a/b, +/t/a/b");
    EXPECT_EQ(story.read("/t/a", "1", 11, 11), "-/t/a, +/t/a") << "what is younger than it is below it";
    EXPECT_EQ(story.listed("/t/a", {"b"}), "");
}

TEST(CacheTree, ABranchThatIsAnotherAfterAReconnectIsListedAgain) {
    CacheStory story = tree_of_three();
    story.disconnected();
    story.connected();
    EXPECT_EQ(story.synced(), "read /t, list /t, read /t/a, list /t/a, read /t/a/b");
    EXPECT_EQ(story.read("/t", "0"), "");
    EXPECT_EQ(story.listed("/t", {"a"}), "");
    EXPECT_EQ(story.read("/t/a", "1", 11, 11), "-/t/a/b, -/t/a, +/t/a, forget /t/a/b");
    EXPECT_EQ(story.listed("/t/a", std::vector<std::string>{}), "whole");
    EXPECT_EQ(story.read("/t/a/b", server_error::no_node), "");
}

TEST(CacheTree, ARootThatGoesAndComesAgain) {
    CacheStory story = tree_of_three();
    EXPECT_EQ(story.seen("/t", Seen::deleted), "read /t, list /t");
    EXPECT_EQ(story.read("/t", server_error::no_node), "-/t/a/b, -/t/a, -/t, forget /t/a/b, forget /t/a, await");
    EXPECT_EQ(story.listed("/t", server_error::no_node), "") << "that is known";
    EXPECT_EQ(story.awaited(server_error::no_node), "");
    EXPECT_EQ(story.seen("/t", Seen::created), "read /t, list /t");
    EXPECT_EQ(story.read("/t", "0", 20, 20), "+/t");
}

TEST(CacheTree, OfTheRootOfAllNodes) {
    CacheStory story({.root = "/", .depth = 1});
    story.start();
    story.connected();
    EXPECT_EQ(story.synced(), "read /, list /");
    EXPECT_EQ(story.read("/", ""), "+/");
    EXPECT_EQ(story.listed("/", {"a"}), "read /a");
    EXPECT_EQ(story.read("/a", "1"), "+/a, whole");
    EXPECT_TRUE(story.view.children("/").contains("a"));
    EXPECT_EQ(story.seen("/", Seen::children_changed), "list /");
    EXPECT_EQ(story.listed("/", std::vector<std::string>{}), "-/a, forget /a");
}

TEST(CacheView, ChildrenAreThoseOfTheNodeAlone) {
    CacheView view;
    for (const char* path : {"/t", "/t/a", "/t/a-b", "/t/a/b", "/t/a/b/c", "/t/a0", "/t0", "/t/z/only"}) {
        view.apply({CacheChange::added, path, std::make_shared<const CachedNode>(CachedNode{path, "", {}})});
    }
    std::string names;
    for (const auto& [name, node] : view.children("/t")) names += name + ":" + node->path + ' ';
    EXPECT_EQ(names, "a:/t/a a-b:/t/a-b a0:/t/a0 ");
    EXPECT_EQ(view.children("/t/a").size(), 1U);
    EXPECT_TRUE(view.children("/t/a/b/c").empty());
    EXPECT_EQ(view.children("/").size(), 2U);
    EXPECT_FALSE(view.find("/none"));
}

} // namespace cache_tree_story
} // namespace
} // namespace docent::detail
