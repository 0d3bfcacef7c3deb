// SPDX-License-Identifier: Apache-2.0
#include "cache/cache_core.hpp"
#include "cache/cache_machine.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {
namespace cache_machine_story {

using Seen = WatchEventType;

/// A CacheMachine whose steps are recorded as text: "+/p/a" added, "~" changed, "-" removed, "!" refused; then its requests.
class CacheStory {
public:
    explicit CacheStory(CacheShape shape, std::size_t in_flight = CacheMachine::most_in_flight)
        : machine(std::move(shape), in_flight) {}

    CacheMachine machine;
    CacheView view; // the view as the events build it
    error_code obstacle;

    std::string start() { return told(machine.start()); }
    std::string connected() { return told(machine.on_session(true)); }
    std::string disconnected() { return told(machine.on_session(false)); }
    std::string synced(error_code ec = {}) { return told(machine.on_synced(tickets_["sync"], ec)); }
    std::string read(const std::string& path, const std::string& data, std::int64_t czxid = 1, std::int64_t mzxid = 1) {
        Stat stat;
        stat.czxid = czxid;
        stat.mzxid = mzxid;
        const CachedNode node{path, data, stat};
        return told(machine.on_read(tickets_["read " + path], path, {}, std::make_shared<const CachedNode>(node)));
    }
    std::string read(const std::string& path, error_code ec) {
        return told(machine.on_read(tickets_["read " + path], path, ec, nullptr));
    }
    std::string listed(const std::string& path, const std::vector<std::string>& names) {
        return told(machine.on_listed(tickets_["list " + path], path, {}, names));
    }
    std::string listed(const std::string& path, error_code ec) {
        return told(machine.on_listed(tickets_["list " + path], path, ec, {}));
    }
    std::string awaited(error_code ec) { return told(machine.on_awaited(tickets_["await"], ec)); }
    std::string seen(const std::string& path, WatchEventType type) { return told(machine.on_watch(path, type)); }
    std::string pause_over() { return told(machine.on_pause_over()); }
    std::string closed() { return told(machine.close()); }

private:
    std::string told(const CacheStep& step) {
        std::string text;
        const auto say = [&text](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
        for (const CacheEvent& event : step.changes) {
            view.apply(event);
            switch (event.change) {
            case CacheChange::added: say("+" + event.path); break;
            case CacheChange::changed: say("~" + event.path); break;
            case CacheChange::removed: say("-" + event.path); break;
            case CacheChange::refused: say("!" + event.path); break;
            default: say(std::string(to_string(event.change)));
            }
        }
        for (const CacheAction& action : step.actions) say(std::visit([this](const auto& a) { return words_of(a); }, action));
        obstacle = step.obstacle;
        return text;
    }
    std::string asked(const std::string& words, CacheTicket ticket) {
        tickets_[words] = ticket;
        return words;
    }
    std::string words_of(const SyncCache& a) { return asked("sync", a.ticket); }
    std::string words_of(const ReadCached& a) { return asked("read " + a.path, a.ticket); }
    std::string words_of(const ListCached& a) { return asked("list " + a.path, a.ticket); }
    std::string words_of(const AwaitRoot& a) { return asked("await", a.ticket); }
    std::string words_of(const ForgetCached& a) { return "forget " + a.path; }
    std::string words_of(const PauseCache& a) { return "pause " + std::to_string(a.length.count()); }

    std::map<std::string, CacheTicket> tickets_;
};

// ---- the children of a node

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

// ---- a tree

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

// ---- lost connections, refusals, and servers that lag behind

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
    EXPECT_EQ(story.synced(server_error::throttled), "pause 2");
    EXPECT_EQ(story.pause_over(), "sync");
    EXPECT_EQ(story.synced(), "list /p, read /p/a, read /p/b");
    EXPECT_EQ(story.read("/p/a", server_error::throttled), "pause 1") << "the server has recovered";
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

TEST(CacheTroubles, AReconnectEndsAPauseFromBefore) {
    CacheStory story({.root = "/p", .depth = 0});
    story.start();
    story.connected();
    story.synced();
    EXPECT_EQ(story.read("/p", server_error::throttled), "pause 1");
    EXPECT_EQ(story.pause_over(), "read /p");
    EXPECT_EQ(story.read("/p", server_error::throttled), "pause 2");
    story.disconnected();
    story.connected();
    EXPECT_EQ(story.synced(server_error::throttled), "pause 1");
}

} // namespace cache_machine_story
} // namespace
} // namespace docent::detail
