// SPDX-License-Identifier: Apache-2.0
#include "cache_replay.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using test::eventually;
using testing::Opcode;

class CacheTest : public ProxiedTest {
protected:
    using Data = std::map<std::string, std::string>;

    static Data data_of(const CachedNodes& nodes) {
        Data all;
        for (const auto& [key, node] : nodes) all[key] = node->data;
        return all;
    }
};

TEST_F(CacheTest, ANodeCacheShowsItsNode) {
    other.create("/n", "1");
    NodeCache cache(client, "/n");
    EXPECT_EQ(cache.get(), nullptr);
    EXPECT_FALSE(cache.whole());
    CacheReplay replay(cache);
    cache.start();
    ASSERT_TRUE(cache.get());
    EXPECT_EQ(cache.get()->data, "1");
    EXPECT_EQ(cache.get()->path, "/n");
    EXPECT_TRUE(cache.whole());
    const CachedNodePtr before = cache.get();
    other.set("/n", "2");
    EXPECT_TRUE(eventually([&] { return cache.get()->data == "2"; }));
    EXPECT_EQ(before->data, "1") << "what was taken does not change";
    other.remove("/n");
    EXPECT_TRUE(eventually([&] { return !cache.get(); }));
    other.create("/n", "3");
    EXPECT_TRUE(eventually([&] { return cache.get() && cache.get()->data == "3"; }));
    using enum CacheChange;
    EXPECT_TRUE(eventually([&] { return replay.changes() == std::vector{added, whole, changed, removed, added}; }));
    cache.start(); // a second call has no effect
    EXPECT_EQ(proxy.requests(Opcode::get), 4U);
}

TEST_F(CacheTest, AChildrenCacheShowsChildrenAlone) {
    other.create("/p", "above");
    other.create("/p/a", "1");
    other.create("/p/a/deeper", "");
    PathChildrenCache cache(client, "/p");
    error_code ec;
    cache.start(ec);
    EXPECT_EQ(ec, error_code{});
    EXPECT_EQ(data_of(cache.children()), (Data{{"a", "1"}}));
    EXPECT_EQ(cache.get("a")->path, "/p/a");
    EXPECT_EQ(cache.get("none"), nullptr);
    CacheReplay late(cache);
    EXPECT_TRUE(eventually([&] { return late.data() == Data{{"/p/a", "1"}} && late.whole(); })) << "it hears of what there is";
    other.create("/p/b", "2");
    other.set("/p/a", "3");
    EXPECT_TRUE(eventually([&] { return late.data() == Data{{"/p/a", "3"}, {"/p/b", "2"}}; }));
    other.remove("/p/b");
    EXPECT_TRUE(eventually([&] { return data_of(cache.children()) == Data{{"a", "3"}}; }));
}

TEST_F(CacheTest, ATreeCacheGoesAsDeepAsItWasTold) {
    for (const char* path : {"/t", "/t/a", "/t/a/b", "/t/a/b/c"}) other.create(path, path);
    TreeCache two(client, "/t", {.max_depth = 2});
    TreeCache all(client, "/t");
    CacheReplay replay(all);
    two.start();
    all.start();
    EXPECT_EQ(two.nodes().size(), 3U);
    EXPECT_EQ(all.nodes().size(), 4U);
    EXPECT_EQ(data_of(all.children("/t/a")), (Data{{"b", "/t/a/b"}}));
    EXPECT_EQ(all.get("/t/a/b/c")->data, "/t/a/b/c");
    other.remove("/t", {.children = RemoveChildren::yes});
    EXPECT_TRUE(eventually([&] { return all.nodes().empty() && two.nodes().empty(); }));
    other.create("/t", "again");
    other.create("/t/x", "1");
    EXPECT_TRUE(eventually([&] { return data_of(all.nodes()) == Data{{"/t", "again"}, {"/t/x", "1"}}; }));
    EXPECT_TRUE(eventually([&] { return replay.data() == data_of(all.nodes()); }));
}

TEST_F(CacheTest, ASelectorLeavesUnwantedNodesOnTheServer) {
    for (const char* path : {"/t", "/t/big", "/t/big/a", "/t/small"}) other.create(path, "");
    const auto is_small = [](const std::string& path) { return !path.ends_with("big"); };
    TreeCache tree(client, "/t", {.selector = is_small});
    tree.start();
    EXPECT_EQ(data_of(tree.nodes()), (Data{{"/t", ""}, {"/t/small", ""}}));
    PathChildrenCache children(client, "/t", is_small);
    children.start();
    EXPECT_EQ(data_of(children.children()), (Data{{"small", ""}}));
    other.create("/t/tiny", "");
    EXPECT_TRUE(eventually([&] { return children.children().size() == 2 && tree.nodes().size() == 3; }));
}

TEST_F(CacheTest, ASelectorIsNotCalledBehindTheEndOfItsCache) {
    other.create("/t", "");
    other.create("/t/a", "");
    for (const bool closes : {false, true}) {
        std::promise<void> free; // keeps the executor busy until it is set
        boost::asio::post(client.get_executor(), [busy = free.get_future().share()] { busy.wait(); });
        bool called = false;
        const auto selector = [&called](const std::string&) { return called = true; };
        auto cache = std::make_unique<PathChildrenCache>(client, "/t", selector);
        auto whole = cache->async_start(use_future);
        client.sync();
        client.sync(); // answered behind the list
        if (closes) cache->close();
        else cache.reset();
        free.set_value();
        EXPECT_THROW(whole.get(), boost::system::system_error);
        std::promise<void> idle;
        boost::asio::post(client.get_executor(), [&idle] { idle.set_value(); });
        idle.get_future().wait();
        EXPECT_FALSE(called) << closes;
    }
}

TEST_F(CacheTest, EventsComeOnTheUsersExecutorOneAtATime) {
    other.create("/n", "0");
    boost::asio::thread_pool pool{2};
    std::atomic<int> inside{0};
    std::atomic<bool> elsewhere{false};
    std::vector<std::string> heard; // no lock: listeners are called one at a time
    std::promise<void> last;
    NodeCache cache(client, "/n");
    const Subscription subscription = cache.listen(
        [&](const CacheEvent& event) {
            if (++inside != 1 || !pool.get_executor().running_in_this_thread()) elsewhere = true;
            if (event.node) heard.push_back(event.node->data);
            --inside;
            if (event.node && event.node->data == "last") last.set_value();
        },
        pool.get_executor());
    cache.start();
    for (int n = 1; n < 20; ++n) other.set("/n", std::to_string(n));
    other.set("/n", "last");
    ASSERT_EQ(last.get_future().wait_for(generous), std::future_status::ready);
    pool.join();
    EXPECT_EQ(heard.front(), "0");
    EXPECT_FALSE(elsewhere);
}

TEST_F(CacheTest, CostsAreAsDocumented) {
    other.create("/p", "");
    for (const char* path : {"/p/a", "/p/b", "/p/c"}) other.create(path, "");
    PathChildrenCache cache(client, "/p");
    cache.start();
    EXPECT_EQ(proxy.requests(Opcode::sync), 1U);
    EXPECT_EQ(proxy.requests(Opcode::children2), 1U);
    EXPECT_EQ(proxy.requests(Opcode::get), 3U);
    other.set("/p/a", "1");
    EXPECT_TRUE(eventually([&] { return cache.get("a")->data == "1"; }));
    EXPECT_EQ(proxy.requests(Opcode::get), 4U);
    other.remove("/p/b");
    EXPECT_TRUE(eventually([&] { return !cache.get("b"); }));
    EXPECT_EQ(proxy.requests(Opcode::children2), 2U);
    EXPECT_EQ(proxy.requests(Opcode::get), 4U);
    other.create("/p/d", "");
    EXPECT_TRUE(eventually([&] { return cache.get("d") != nullptr; }));
    EXPECT_EQ(proxy.requests(Opcode::children2), 3U);
    EXPECT_EQ(proxy.requests(Opcode::get), 5U);
    cache.close();
    EXPECT_TRUE(eventually([&] { return proxy.requests(Opcode::remove_watches) == 4U; })) << "no watch is left";
    EXPECT_EQ(proxy.requests(Opcode::sync), 1U);
}

TEST_F(CacheTest, ShowsDataAsItWasBeforeItWasCompressed) {
    Client packing{{.connect_string = server.connect_string(), .compression = Compression::compressed}};
    packing.start();
    const std::string text(10'000, 'x');
    packing.create("/packed", text);
    EXPECT_LT(other.get("/packed").data.size(), 1'000U);
    NodeCache cache(packing, "/packed");
    cache.start();
    EXPECT_EQ(cache.get()->data, text);
}

TEST_F(CacheTest, EndsWithItsObjectAndFailsAsEverythingElse) {
    EXPECT_THROW(NodeCache(client, "bad"), Error);
    EXPECT_THROW(PathChildrenCache(client, "/bad/"), Error);
    EXPECT_THROW(TreeCache(client, ""), Error);

    other.create("/n", "1");
    NodeCache cache(client, "/n");
    cache.start();
    cache.close();
    error_code ec;
    cache.start(ec);
    EXPECT_EQ(ec, error::closed);
    EXPECT_EQ(cache.get()->data, "1") << "what was known last";
    EXPECT_THROW(cache.start(), Error);

    proxy.black_hole();
    auto waiting = std::make_unique<TreeCache>(client, "/n");
    auto started = waiting->async_start(use_future);
    waiting.reset();
    EXPECT_THROW(started.get(), boost::system::system_error);
    NodeCache other_one(client, "/n");
    other_one.start(ec, {.timeout = 50ms});
    EXPECT_TRUE(ec == server_error::operation_timeout || ec == error::not_connected) << ec.message();
    proxy.heal();
    EXPECT_TRUE(eventually([&] { return other_one.get() != nullptr; })) << "it goes on";
    client.close();
    other_one.start(ec);
    EXPECT_EQ(ec, error::closed);
}

} // namespace
} // namespace docent
