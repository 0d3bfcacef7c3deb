// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/persistent_node.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

namespace docent {
namespace {

using namespace std::chrono_literals;

class NamespaceTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    Client root = started({.connect_string = server.connect_string()});
    Client view = root.in_namespace("app/part");
};

TEST_F(NamespaceTest, PathsHaveNoPrefix) {
    EXPECT_EQ(view.create("/a", "x").path, "/a");
    EXPECT_EQ(root.get("/app/part/a").data, "x");
    const Created made = view.create("/s/n-", "", {.mode = CreateMode::persistent_sequential, .parents = Parents::container});
    EXPECT_EQ(made.path, "/s/n-0000000000");
    EXPECT_EQ(view.children("/").stat.num_children, 2);
    auto watched = view.get_watched("/a");
    root.set("/app/part/a", "y");
    EXPECT_EQ(watched.watch.wait().path, "/a");
    const auto result = view.commit(Transaction().create("/t-", "", CreateMode::persistent_sequential).remove("/a"));
    EXPECT_TRUE(result.operations[0].result_path.starts_with("/t-")) << result.operations[0].result_path;
    EXPECT_FALSE(root.exists("/app/part/a"));
    view.remove_guaranteed("/s/n-0000000000");
    view.sync();
    view.remove("/s", {.if_missing = IfMissing::accept});
    EXPECT_FALSE(root.exists("/app/part/s"));
    error_code ec;
    view.get("bad", ec);
    EXPECT_EQ(ec, error::invalid_path);
    view.commit(Transaction().create("x"), ec);
    EXPECT_EQ(ec, error::invalid_path) << "nothing escapes the prefix";
}

TEST_F(NamespaceTest, SequentialNodesOfItsRootAreInIt) {
    const CreateOptions sequential{.mode = CreateMode::persistent_sequential};
    EXPECT_EQ(view.create("/", "", sequential).path, "/0000000000");
    EXPECT_TRUE(root.exists("/app/part/0000000000"));
    const auto result = view.commit(Transaction().create("/", "", CreateMode::persistent_sequential));
    EXPECT_EQ(result.operations[0].result_path, "/0000000001");
    EXPECT_TRUE(root.exists("/app/part/0000000001"));
    EXPECT_EQ(root.children("/app").names, std::vector<std::string>{"part"});

    Client in_chroot = started({.connect_string = server.connect_string() + "/app/part"});
    EXPECT_EQ(in_chroot.create("/", "", sequential).path, "/0000000002");
    EXPECT_EQ(root.children("/app").names, std::vector<std::string>{"part"});
}

TEST_F(NamespaceTest, SequentialNodesOfARootThatIsMissing) {
    const auto result = view.commit(Transaction().create("/", "", CreateMode::persistent_sequential));
    EXPECT_EQ(result.operations[0].result_path, "/0000000000");
    Client empty = root.in_namespace("empty");
    EXPECT_EQ(empty.create("/", "", {.mode = CreateMode::ephemeral_sequential}).path, "/0000000000");
}

TEST_F(NamespaceTest, ItsNodeIsMadeOnFirstUse) {
    EXPECT_EQ(view.children("/").names.size(), 0u);
    EXPECT_TRUE(root.exists("/app/part"));
    Client second = root.in_namespace("second");
    EXPECT_TRUE(second.exists("/"));
    Client third = root.in_namespace("third");
    third.commit(Transaction().create("/a"), {.timeout = 10s});
    EXPECT_TRUE(root.exists("/third/a"));
}

TEST_F(NamespaceTest, AChrootIsNotMadeByReadingIt) { // as in Java
    Client in_chroot = started({.connect_string = server.connect_string() + "/none/such"});
    error_code ec;
    in_chroot.children("/", ec);
    EXPECT_EQ(ec, server_error::no_node);
    in_chroot.get("/", ec);
    EXPECT_EQ(ec, server_error::no_node);
    in_chroot.get_acl("/", ec);
    EXPECT_EQ(ec, server_error::no_node);
    EXPECT_FALSE(in_chroot.exists("/"));
    EXPECT_FALSE(root.exists("/none"));
    in_chroot.set("/", "made");
    EXPECT_EQ(root.get("/none/such").data, "made");
}

TEST_F(NamespaceTest, BelowAChrootThatIsMissingToo) {
    Client read = started({.connect_string = server.connect_string() + "/one/two", .name_space = "three"});
    EXPECT_EQ(read.children("/").names.size(), 0u);
    Client commit = started({.connect_string = server.connect_string() + "/four", .name_space = "five"});
    commit.commit(Transaction().create("/a"));
    EXPECT_TRUE(root.exists("/four/five/a"));
    root.remove("/four", {.children = RemoveChildren::yes});
    commit.commit(Transaction().create("/a")); // the server may have removed the container at any time
    EXPECT_TRUE(root.exists("/four/five/a"));
    root.remove("/four", {.children = RemoveChildren::yes});
    EXPECT_EQ(commit.create("/b").path, "/b");
    error_code ec;
    commit.commit(Transaction().check("/none"), ec);
    EXPECT_EQ(ec, server_error::no_node);
}

TEST_F(NamespaceTest, RejectedTransactionIsSentAgainOnlyIfThePrefixWasMissing) {
    docent::testing::FaultProxy proxy(server.port());
    Client counted = started({.connect_string = proxy.connect_string(), .name_space = "counted"});
    const auto sent_by_commit = [&] {
        const auto before = proxy.requests(docent::testing::Opcode::multi);
        error_code ec;
        counted.commit(Transaction().check("/none"), ec);
        EXPECT_EQ(ec, server_error::no_node);
        return proxy.requests(docent::testing::Opcode::multi) - before;
    };
    EXPECT_EQ(sent_by_commit(), 2u);
    EXPECT_EQ(sent_by_commit(), 1u) << "the answer would be the same";
}

TEST(OwnParents, MayBePersistentInsteadOfContainers) {
    docent::test::AnyServer server{{.cleanup_interval = 50ms}}; // removes empty containers at once
    Client root = started({.connect_string = server.connect_string()});
    const auto lock_once = [&](const std::string& name, Parents parents) {
        Client client = started({.connect_string = server.connect_string(), .name_space = name, .own_parents = parents});
        InterProcessMutex mutex(client, "/locks/a");
        mutex.acquire().release();
        PersistentNode(client, "/members/one").await_node();
    };
    lock_once("lasting", Parents::persistent);
    lock_once("passing", Parents::container);
    EXPECT_TRUE(test::eventually([&] { return !root.exists("/passing"); }));
    for (const char* parent : {"/lasting/locks/a", "/lasting/members"}) {
        EXPECT_TRUE(root.exists(parent)) << parent << " was there before, and would have gone before";
    }
}

TEST_F(NamespaceTest, WatchOfTheConfigurationIsRemovedToo) {
    Client quiet =
        started({.connect_string = server.connect_string(), .name_space = "ns", .ensemble_tracking = EnsembleTracking::off});
    root.ensemble_config(); // answered after the read that the client makes for itself
    quiet.ensemble_config();
    const auto before = server.metric("zk_watch_count");
    { auto watched = quiet.ensemble_config_watched(); }
    EXPECT_TRUE(test::eventually([&] { return server.metric("zk_watch_count") == before; }));
}

TEST_F(NamespaceTest, WatchThatIsDroppedIsRemovedOnTheServer) {
    root.ensemble_config(); // answered after the read that the client makes for itself
    view.create("/a");
    const auto before = server.metric("zk_watch_count");
    {
        auto data = view.get_watched("/a");
        auto children = view.children_watched("/");
        EXPECT_EQ(server.metric("zk_watch_count"), before + 2);
    }
    EXPECT_TRUE(test::eventually([&] { return server.metric("zk_watch_count") == before; }));
}

TEST_F(NamespaceTest, AnotherNamespaceTakesThePlaceOfTheFirst) {
    Client other = view.in_namespace("other");
    other.create("/a", "x");
    EXPECT_EQ(root.get("/other/a").data, "x");
    EXPECT_EQ(view.name_space(), "app/part");
    EXPECT_EQ(other.name_space(), "other");
    EXPECT_EQ(root.name_space(), "");
    Client none = view.in_namespace("");
    EXPECT_EQ(none.get("/other/a").data, "x");
    Client inner = started({.connect_string = server.connect_string() + "/chroot", .name_space = "configured"});
    inner.create("/a", "1");
    inner.in_namespace("view").create("/a", "2");
    inner.in_namespace("").create("/a", "3");
    EXPECT_EQ(root.get("/chroot/configured/a").data, "1");
    EXPECT_EQ(root.get("/chroot/view/a").data, "2");
    EXPECT_EQ(root.get("/chroot/a").data, "3");
}

TEST_F(NamespaceTest, ViewsShareTheSession) {
    view.wait_connected();
    EXPECT_EQ(view.session(), root.session());
    view.create("/e", "", {.mode = CreateMode::ephemeral});
    { Client passing = root.in_namespace("passing"); }
    EXPECT_TRUE(view.exists("/e")) << "a view that goes closes nothing";
    root.close();
    error_code ec;
    view.exists("/e", ec);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(NamespaceTest, ViewsMayOutliveTheClient) {
    auto owner = std::make_unique<Client>(ClientConfig{.connect_string = server.connect_string()});
    owner->start();
    Client left = owner->in_namespace("left");
    auto watched = left.exists_watched("/a");
    owner.reset();
    error_code ec;
    left.create("/a", "", {}, ec);
    EXPECT_EQ(ec, error::closed);
    watched.watch.wait(ec);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(NamespaceTest, RecipesLiveInThem) {
    InterProcessMutex inside(view, "/lock");
    InterProcessMutex outside(root, "/app/part/lock");
    Lease held = inside.acquire();
    EXPECT_TRUE(held.node_path().starts_with("/lock/")) << held.node_path();
    EXPECT_FALSE(outside.try_acquire());
    view.commit(Transaction().guard(held).create("/made"));
    EXPECT_TRUE(root.exists("/app/part/made"));
    held.release();
    EXPECT_TRUE(outside.try_acquire());
}

TEST_F(NamespaceTest, BadNamesAreRefused) {
    for (const auto* name : {"//app", "app/", "/app/", "a//b", "a/../b"})
        EXPECT_THROW(static_cast<void>(root.in_namespace(name)), Error) << name;
}

} // namespace
} // namespace docent
