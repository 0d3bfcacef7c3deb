// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;
using docent::test::Heard;
using docent::testing::Opcode;

class PersistentNodeTest : public ProxiedTest {
protected:
    /// Waits until the node has this data; if `of_this_session`, made by the client's present session.
    bool becomes(const std::string& path, const std::string& data, bool of_this_session = false) {
        return eventually([&] {
            error_code ec;
            const NodeData there = other.get(path, ec);
            const bool ours = !of_this_session || there.stat.ephemeral_owner == client.session().session_id;
            return !ec && there.data == data && ours;
        });
    }
};

TEST_F(PersistentNodeTest, LeavesItsParentsToOthersIfItIsToldTo) {
    PersistentNode node(client, "/absent/parent/node", {.parents = Parents::fail});
    error_code ec;
    node.await_node(ec);
    EXPECT_EQ(ec, server_error::no_node);
    EXPECT_FALSE(other.exists("/absent"));
    other.create("/absent/parent", "", {.parents = Parents::persistent});
    EXPECT_TRUE(eventually([&] { return other.exists("/absent/parent/node").has_value(); }));
}

TEST_F(PersistentNodeTest, IsThereUntilItIsClosed) {
    PersistentNode node(client, "/members/one", {.data = "a"});
    EXPECT_EQ(node.node_path(), "");
    EXPECT_EQ(node.await_node(), "/members/one");
    EXPECT_EQ(node.node_path(), "/members/one");
    const NodeData made = other.get("/members/one");
    EXPECT_EQ(made.data, "a");
    EXPECT_EQ(made.stat.ephemeral_owner, client.session().session_id);
    node.set_data("b");
    EXPECT_EQ(other.get("/members/one").data, "b");
    EXPECT_EQ(node.data(), "b");
    node.async_set_data("c", use_future).get();
    EXPECT_EQ(node.async_await_node(use_future).get(), "/members/one");
    EXPECT_EQ(other.get("/members/one").data, "c");
    node.close();
    EXPECT_FALSE(other.exists("/members/one"));
    node.close(); // a second call has no effect
    error_code ec;
    node.start(ec);
    EXPECT_EQ(ec, error::closed);
    node.await_node(ec);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(PersistentNodeTest, IsMadeAgainAfterEveryKindOfDeletion) {
    PersistentNode node(client, "/n", {.data = "a"});
    const Heard<PersistentNodeChange> changes;
    const auto listening = node.listen([changes](const PersistentNodeEvent& event) { changes.add(event.change); });
    node.await_node();
    const auto first = other.get("/n").stat.czxid;
    other.remove("/n");
    EXPECT_TRUE(becomes("/n", "a"));
    EXPECT_GT(other.get("/n").stat.czxid, first);
    node.set_data("b");
    client.renew_session();
    EXPECT_TRUE(becomes("/n", "b", true)) << "with the data that was set last";
    using enum PersistentNodeChange;
    EXPECT_TRUE(eventually([&] { return changes.all() == std::vector{made, gone, made, gone, made}; }));
}

TEST_F(PersistentNodeTest, InOtherModes) {
    PersistentNode numbered(client, "/list/n-", {.mode = CreateMode::ephemeral_sequential});
    const std::string first = numbered.await_node();
    EXPECT_EQ(first, "/list/n-0000000000");
    other.remove(first);
    EXPECT_TRUE(eventually([&] { return numbered.node_path() == "/list/n-0000000001"; }));

    other.create("/kept", "old");
    PersistentNode kept(client, "/kept", {.mode = CreateMode::persistent, .data = "new"});
    kept.await_node();
    EXPECT_EQ(other.get("/kept").data, "new") << "taken over";
    kept.close();
    EXPECT_FALSE(other.exists("/kept"));
    EXPECT_THROW(PersistentNode(client, "/c", {.mode = CreateMode::container}), Error);
}

TEST_F(PersistentNodeTest, CloseRightAfterStartRemovesTheNodeThatItTakesOver) {
    for (int n = 0; n < 50; ++n) {
        other.create("/left", "by somebody");
        {
            PersistentNode node(client, "/left", {.mode = CreateMode::persistent});
            node.start();
            if (n % 2 == 1) node.await_node();
            node.close();
        }
        other.sync();
        EXPECT_FALSE(other.exists("/left")) << n;
    }
}

TEST_F(PersistentNodeTest, GoesWithTheObjectAndFailsAsEverythingElse) {
    EXPECT_THROW(PersistentNode(client, "bad"), Error);
    {
        PersistentNode passing(client, "/passing");
        passing.await_node();
    }
    client.sync();
    EXPECT_FALSE(other.exists("/passing"));

    PersistentNode node(client, "/n");
    auto waiting = std::make_unique<PersistentNode>(client, "/waiting");
    auto awaited = waiting->async_await_node(use_future);
    waiting.reset();
    const error_code ended = failure_of([&] { return awaited.get(); }).code;
    EXPECT_TRUE(!ended || ended == error::closed) << "any order is possible";
    client.close();
    error_code ec;
    node.await_node(ec);
    EXPECT_EQ(ec, error::closed);
}

using GroupMemberTest = PersistentNodeTest;

TEST_F(GroupMemberTest, EachSeesAllMembersWithTheirData) {
    GroupMember one(client, "/group", "one", "1");
    EXPECT_EQ(one.members(), Members{}) << "nobody has been there yet";
    GroupMember two(other, "/group", "two", "2");
    one.await_node();
    EXPECT_EQ(two.await_node(), "/group/two");
    client.sync();
    EXPECT_EQ(one.members(), (Members{{"one", "1"}, {"two", "2"}}));
    one.set_data("one");
    EXPECT_EQ(two.async_members(use_future).get(), (Members{{"one", "one"}, {"two", "2"}}));
    proxy.cut_before_reply(Opcode::get);
    EXPECT_EQ(one.members().size(), 2u);
    two.close();
    EXPECT_EQ(one.members(), (Members{{"one", "one"}}));
    other.set("/group/one", "changed");
    EXPECT_EQ(one.members(), (Members{{"one", "changed"}})) << "what is there";
}

TEST_F(GroupMemberTest, TheSecondOfOneIdWaits) {
    auto first = std::make_unique<GroupMember>(client, "/group", "id", "first");
    first->await_node();
    GroupMember second(other, "/group", "id", "second");
    auto waiting = second.async_await_node(use_future);
    second.start();
    client.sync();
    EXPECT_EQ(second.members(), (Members{{"id", "first"}}));
    first.reset();
    waiting.get();
    EXPECT_EQ(second.members(), (Members{{"id", "second"}}));
    EXPECT_THROW(GroupMember(client, "/group", "a/b"), Error);
    EXPECT_THROW(GroupMember(client, "/group", ""), Error);
    EXPECT_THROW(GroupMember(client, "group", "id"), Error);
}

} // namespace
} // namespace docent
