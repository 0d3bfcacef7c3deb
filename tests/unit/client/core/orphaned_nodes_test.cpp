// SPDX-License-Identifier: Apache-2.0
#include "client/core/removals/orphaned_nodes.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

constexpr std::int64_t session = 7;

SessionEvent connected_event(std::uint64_t epoch = 1) {
    return {.state = SessionState::connected, .epoch = epoch, .session_id = session, .reason = {}};
}
zk::CreateRequest create(const std::string& path) {
    return {.path = path, .mode = CreateMode::ephemeral_sequential};
}
zk::Reply owned_by(std::int64_t owner) {
    zk::Reply reply;
    reply.stat.ephemeral_owner = owner;
    return reply;
}

/// A client whose GUIDs begin with "our".
class OrphanedNodesTest : public ::testing::Test {
protected:
    struct Sent {
        zk::Request request;
        zk::ReplyHandler handler;
    };
    std::deque<Sent> sent;
    std::vector<std::string> removed;
    int told = 0; // the number of requests of ask() that were answered
    OrphanedNodes orphans{
        {.own_guid =
             [](std::string_view name) {
                 return name.starts_with("_c_our") ? name.substr(3, name.find('-') - 3) : std::string_view();
             },
         .submit = [this](zk::Request request, zk::ReplyHandler handler) { submit(request, std::move(handler)); },
         .remove = [this](const std::string& path) { removed.push_back(path); }}};

    void SetUp() override { orphans.on_connected(connected_event()); }

    void submit(const zk::Request& request, zk::ReplyHandler handler) {
        sent.push_back({request, orphans.observed(request, std::move(handler))});
    }
    void ask(const zk::Request& request) {
        submit(request, [this](const zk::Reply&) { ++told; });
    }
    /// Answers the oldest request.
    void answer(zk::Reply reply = {}) {
        ASSERT_FALSE(sent.empty());
        Sent oldest = std::move(sent.front());
        sent.pop_front();
        oldest.handler(std::move(reply));
    }
    void lose_reply() { answer({.ec = server_error::connection_loss}); }
    void make(const std::string& path) {
        ask(create(path));
        answer();
    }
    void remove(const std::string& path) {
        ask(zk::RemoveRequest{path});
        answer();
    }
    void make_and_remove(const std::string& path) {
        make(path);
        remove(path);
    }
    /// Reports a child to the search for orphaned nodes.
    void see(const std::string& child) {
        ask(zk::ChildrenRequest{"/q"});
        zk::Reply reply;
        reply.children = {child};
        answer(std::move(reply));
    }
    std::string looked_at() const { return sent.empty() ? "" : zk::path_of(sent.front().request); }
};

TEST_F(OrphanedNodesTest, ARemovedNodeThatReturnsIsRemovedAgain) {
    make_and_remove("/q/_c_our1-lock-1");
    see("_c_our1-lock-1");
    ASSERT_EQ(looked_at(), "/q/_c_our1-lock-1");
    answer(owned_by(session));
    EXPECT_EQ(removed, std::vector<std::string>{"/q/_c_our1-lock-1"});
    EXPECT_EQ(told, 3) << "all who asked have heard";
}

TEST_F(OrphanedNodesTest, IsLookedAtAndRemovedOnceAtATime) {
    make_and_remove("/q/_c_our1-lock-1");
    see("_c_our1-lock-1");
    ask(zk::SyncRequest{"/q"}); // any request
    sent.pop_back();
    const auto look = std::move(sent.front());
    sent.clear();
    see("_c_our1-lock-1");
    EXPECT_TRUE(sent.empty());
    look.handler(owned_by(session));
    see("_c_our1-lock-1");
    EXPECT_TRUE(sent.empty()) << "it is being removed";
    EXPECT_EQ(removed.size(), 1u);
    remove("/q/_c_our1-lock-1");
    see("_c_our1-lock-1");
    EXPECT_FALSE(sent.empty()) << "back in time once more";
}

TEST_F(OrphanedNodesTest, AForbiddenRemovalIsNotTriedForEver) {
    make_and_remove("/q/_c_our1-lock-1");
    see("_c_our1-lock-1");
    answer(owned_by(session));
    ask(zk::RemoveRequest{"/q/_c_our1-lock-1"});
    answer({.ec = server_error::no_auth});
    see("_c_our1-lock-1");
    EXPECT_TRUE(sent.empty());
}

TEST_F(OrphanedNodesTest, ForeignNodesAreLeftAlone) {
    see("_c_their1-lock-1");
    see("lock-1");
    EXPECT_TRUE(sent.empty());
}

TEST_F(OrphanedNodesTest, NodesOfAnotherSessionAreLeftToTheServers) {
    see("_c_our1-lock-1");
    answer(owned_by(session + 1));
    see("_c_our1-lock-1");
    answer({.ec = server_error::no_node});
    see("_c_our1-lock-1");
    answer({.ec = server_error::connection_loss});
    EXPECT_TRUE(removed.empty());
}

TEST_F(OrphanedNodesTest, KnownFromBeforeItsCreateIsSentUntilItsRemovalIsConfirmed) {
    const std::string name = "_c_our1-lock-1";
    ask(create("/q/_c_our1-lock-"));
    ask(zk::ChildrenRequest{"/q"});
    zk::Reply list;
    list.children = {name};
    std::swap(sent[0], sent[1]);
    answer(list); // the list is answered before the create
    EXPECT_EQ(sent.size(), 1u);
    answer();
    see(name);
    EXPECT_TRUE(sent.empty());
    ask(zk::RemoveRequest{"/q/" + name});
    lose_reply();
    see(name);
    EXPECT_TRUE(sent.empty()) << "it is to be removed by those who owe that";
    remove("/q/" + name);
    EXPECT_EQ(orphans.known(), 0u);
}

TEST_F(OrphanedNodesTest, OneInDoubtIsKnownUntilItIsNotFound) {
    ask(create("/q/_c_our1-lock-"));
    lose_reply();
    see("_c_our1-lock-1");
    EXPECT_TRUE(sent.empty());
    orphans.on_guid_gone("/q", "our1");
    EXPECT_EQ(orphans.known(), 0u);
}

TEST_F(OrphanedNodesTest, OfTwoThatWereMadeByOneGuidTheOtherOneStays) {
    ask(create("/q/_c_our1-lock-"));
    lose_reply();
    make("/q/_c_our1-lock-");
    remove("/q/_c_our1-lock-2");
    see("_c_our1-lock-1");
    EXPECT_TRUE(sent.empty());
    see("_c_our1-lock-2");
    EXPECT_EQ(looked_at(), "/q/_c_our1-lock-2");
}

TEST_F(OrphanedNodesTest, ANodeThatIsGoneWithoutANumberIsTheOnlyNodeOfItsGuid) {
    ask(create("/q/_c_our1-lock-"));
    lose_reply();
    orphans.on_gone("/q/_c_our1-lock-");
    see("_c_our1-lock-1");
    EXPECT_EQ(looked_at(), "/q/_c_our1-lock-1");
}

/// A create that was sent twice may make two nodes.
TEST_F(OrphanedNodesTest, AGuidIsKnownWhileACreateOfItIsUnderWay) {
    make("/q/_c_our1-lock-1");
    ask(create("/q/_c_our1-lock-"));
    orphans.on_gone("/q/_c_our1-lock-1");
    ask(zk::ChildrenRequest{"/q"});
    std::swap(sent[0], sent[1]);
    zk::Reply list;
    list.children = {"_c_our1-lock-2"};
    answer(list); // the list is answered before the create
    EXPECT_EQ(sent.size(), 1u) << "nothing is looked at";
}

/// A create whose reply was lost has made the node.
TEST_F(OrphanedNodesTest, AnExistingNodeOfTheGuidIsTheClients) {
    ask(create("/q/_c_our1-__READ__1"));
    answer({.ec = server_error::node_exists});
    see("_c_our1-__READ__1");
    EXPECT_TRUE(sent.empty());
}

TEST_F(OrphanedNodesTest, ARefusedCreateIsForgotten) {
    ask(create("/q/_c_our1-lock-"));
    answer({.ec = server_error::no_node});
    ask(create("/q/_c_our2-lock-"));
    answer({.ec = error::not_connected});
    EXPECT_EQ(orphans.known(), 0u);
}

TEST_F(OrphanedNodesTest, ANodeThatAnotherClientRemovedIsForgotten) {
    make("/q/_c_our1-lock-1");
    orphans.on_gone("/q/_c_our1-lock-1");
    see("_c_our1-lock-1");
    EXPECT_EQ(looked_at(), "/q/_c_our1-lock-1");
}

TEST_F(OrphanedNodesTest, MarkersOfTransactionsToo) {
    const std::string marker = "/m/_c_our1-transaction";
    ask(zk::MultiRequest{{zk::CreateRequest{.path = marker, .mode = CreateMode::ephemeral}, zk::SetRequest{marker, ""}}});
    lose_reply();
    see("_c_our1-transaction");
    EXPECT_TRUE(sent.empty()) << "whether it was applied is asked of it yet";
    remove(marker);
    orphans.look();
    ASSERT_EQ(looked_at(), "/m");
    zk::Reply list;
    list.children = {"_c_our1-transaction"};
    answer(std::move(list));
    ASSERT_EQ(looked_at(), marker);
    answer(owned_by(session));
    EXPECT_EQ(removed, std::vector<std::string>{marker});
}

TEST_F(OrphanedNodesTest, ATransactionThatRemovesOneHasRemovedIt) {
    make("/q/_c_our1-lock-1");
    ask(zk::MultiRequest{{zk::RemoveRequest{"/q/_c_our1-lock-1"}}});
    answer({.ec = server_error::bad_version});
    EXPECT_EQ(orphans.known(), 1u);
    ask(zk::MultiRequest{{zk::RemoveRequest{"/q/_c_our1-lock-1"}}});
    answer();
    EXPECT_EQ(orphans.known(), 0u);
}

TEST_F(OrphanedNodesTest, LooksWhereNodesOfItHaveGoneLately) {
    for (std::size_t n = 0; n <= OrphanedNodes::most_places; ++n) make_and_remove("/q" + std::to_string(n) + "/_c_our1-lock-1");
    make_and_remove("/q1/_c_our2-lock-2");
    make_and_remove("/more/_c_our4-lock-4");
    make("/held/_c_our3-lock-");
    make_and_remove("/elsewhere/_c_their1-lock-1");
    orphans.look();
    ASSERT_EQ(sent.size(), OrphanedNodes::most_places);
    std::set<std::string> places;
    for (const Sent& each : sent) places.insert(zk::path_of(each.request));
    for (const std::string oldest : {"/q0", "/q2"}) EXPECT_FALSE(places.contains(oldest)) << oldest;
    for (const std::string later : {"/q1", "/more"}) EXPECT_TRUE(places.contains(later)) << later;
    for (std::size_t n = 3; n <= OrphanedNodes::most_places; ++n) EXPECT_TRUE(places.contains("/q" + std::to_string(n))) << n;
}

TEST_F(OrphanedNodesTest, LooksAgainWhenAServerWasTooBusy) {
    make_and_remove("/q/_c_our1-lock-1");
    orphans.look();
    answer({.ec = server_error::throttled});
    orphans.on_heartbeat();
    ASSERT_EQ(looked_at(), "/q");
    zk::Reply list;
    list.children = {"_c_our1-lock-1"};
    answer(list);
    ASSERT_EQ(looked_at(), "/q/_c_our1-lock-1");
    answer({.ec = server_error::throttled});
    orphans.on_heartbeat();
    ASSERT_EQ(looked_at(), "/q");
    answer(list);
    answer(owned_by(session));
    EXPECT_EQ(removed.size(), 1u);
    orphans.on_heartbeat();
    EXPECT_TRUE(sent.empty()) << "all has been seen";
}

TEST_F(OrphanedNodesTest, ASessionEndsWithItsNodes) {
    make_and_remove("/q/_c_our1-lock-1");
    make("/q/_c_our1-lock-1");
    ask(create("/q/_c_our2-lock-")); // sent in the next session, before the client has heard of that session
    orphans.on_connected(connected_event(2));
    EXPECT_EQ(orphans.known(), 1u);
    orphans.look();
    EXPECT_EQ(sent.size(), 1u) << "the create";
    answer();
    see("_c_our2-lock-2");
    EXPECT_TRUE(sent.empty());
}

TEST_F(OrphanedNodesTest, AReconnectTakesNothing) {
    make("/q/_c_our1-lock-1");
    orphans.on_connected(connected_event());
    EXPECT_EQ(orphans.known(), 1u);
}

// A stalled server may pass on a create late: after the client, on another server, has searched for the node and has created it
// again.
TEST_F(OrphanedNodesTest, WhereAGuidWasRemovedItIsLookedAgainEverMoreSeldom) {
    orphans.on_guid_gone("/lock", "our1");
    std::vector<int> looked;
    for (int beat = 1; beat <= 100; ++beat) {
        orphans.look_late();
        if (sent.empty()) continue;
        looked.push_back(beat);
        answer();
    }
    EXPECT_EQ(looked, (std::vector<int>{1, 2, 4, 8, 16, 32}));
}

TEST_F(OrphanedNodesTest, ALateNodeIsRemoved) {
    orphans.on_guid_gone("/lock", "our1");
    orphans.look_late();
    zk::Reply list;
    list.children = {"_c_our1-lock-0000000007"};
    answer(list);
    answer(owned_by(session));
    EXPECT_EQ(removed, std::vector<std::string>{"/lock/_c_our1-lock-0000000007"});
}

TEST_F(OrphanedNodesTest, ALateNodeEndsWithItsSession) {
    orphans.on_guid_gone("/lock", "our1");
    orphans.on_connected(connected_event(2));
    orphans.look_late();
    EXPECT_TRUE(sent.empty());
}

TEST_F(OrphanedNodesTest, AnUnreadableNodeIsKnownByItsMark) {
    make_and_remove("/q/_c_our1-lock-1");
    see("_c_our1-lock-1");
    answer({.ec = server_error::no_auth});
    EXPECT_EQ(removed.size(), 1u);
}

} // namespace
} // namespace docent::detail
