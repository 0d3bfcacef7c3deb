// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"
#include "seeds.hpp"

#include <docent/docent.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using test::eventually;
using testing::Opcode;

/// Applies the events of a cache to an empty copy, and checks that each event fits the events before it.
class CacheReplay {
public:
    explicit CacheReplay(CacheBase& cache)
        : listening_(cache.listen([seen = seen_](const CacheEvent& event) { seen->apply(event); })) {}

    CachedNodes nodes() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->nodes;
    }
    /// The data by path.
    std::map<std::string, std::string> data() const {
        const std::lock_guard lock(seen_->mutex);
        std::map<std::string, std::string> all;
        for (const auto& [path, node] : seen_->nodes) all[path] = node->data;
        return all;
    }
    bool whole() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->whole;
    }
    /// How often the cache became whole.
    std::size_t times_whole() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->times_whole;
    }
    std::vector<CacheChange> changes() const {
        const std::lock_guard lock(seen_->mutex);
        return seen_->changes;
    }

private:
    /// Shared with the listener: a Subscription does not wait for a running call when it ends.
    struct Seen {
        void apply(const CacheEvent& event);

        std::mutex mutex;
        CachedNodes nodes;
        std::vector<CacheChange> changes;
        bool whole = false;
        std::size_t times_whole = 0;
    };

    std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
    Subscription listening_;
};

void CacheReplay::Seen::apply(const CacheEvent& event) {
    const std::lock_guard lock(mutex);
    changes.push_back(event.change);
    CachedNodePtr& known = nodes[event.path];
    switch (event.change) {
    case CacheChange::added:
        EXPECT_FALSE(known) << event.path;
        known = event.node;
        break;
    case CacheChange::changed:
        EXPECT_TRUE(known && known == event.before) << event.path;
        EXPECT_EQ(event.node->stat.czxid, event.before->stat.czxid);
        EXPECT_GT(event.node->stat.mzxid, event.before->stat.mzxid);
        known = event.node;
        break;
    case CacheChange::removed:
        EXPECT_TRUE(known && known == event.before) << event.path;
        known.reset();
        break;
    case CacheChange::refused: break;
    case CacheChange::stale: EXPECT_TRUE(std::exchange(whole, false)); break;
    case CacheChange::whole:
        EXPECT_FALSE(std::exchange(whole, true));
        ++times_whole;
        break;
    }
    if (!known) nodes.erase(event.path);
}

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

TEST_F(CacheTest, NoCallOfASelectorBeginsAfterTheEndOfItsCache) {
    for (const char* path : {"/t", "/t/a", "/t/b"}) other.create(path, "");
    std::promise<void> called;
    std::promise<void> free; // keeps the first call busy until it is set
    std::atomic<int> calls{0};
    PathChildrenCache cache(client, "/t", [&](const std::string&) {
        if (calls++ > 0) return true;
        called.set_value();
        free.get_future().wait();
        return true;
    });
    auto whole = cache.async_start(use_future);
    called.get_future().wait();
    cache.close();
    free.set_value();
    EXPECT_THROW(whole.get(), boost::system::system_error);
    std::promise<void> idle;
    boost::asio::post(client.get_executor(), [&idle] { idle.set_value(); });
    idle.get_future().wait();
    EXPECT_EQ(calls, 1);
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

/// Writes at random below one node.
class ChurningWriter {
public:
    ChurningWriter(Client& client, std::string path, std::size_t children)
        : client_(client), path_(std::move(path)), there_(children) {
        for (std::size_t i = 0; i < children; ++i) create(i);
        settle(0);
        most_open_ = 2; // leaves time for cuts
    }
    void change() {
        const std::size_t which = random_() % there_.size();
        if (!there_[which]) return create(which);
        random_() % 5 == 0 ? remove(which) : set(which);
    }
    /// Waits until at most `left` requests are unanswered.
    void settle(std::size_t left) {
        for (; open_.size() > left; open_.pop_front()) open_.front()();
    }

private:
    std::string child(std::size_t which) const { return path_ + "/n" + std::to_string(which); }
    std::string next_data() { return std::to_string(++writes_); }
    void create(std::size_t which) {
        there_[which] = true;
        await(client_.async_create(child(which), next_data(), use_future));
    }
    void set(std::size_t which) { await(client_.async_set(child(which), next_data(), use_future)); }
    void remove(std::size_t which) {
        there_[which] = false;
        await(client_.async_remove(child(which), use_future));
    }
    template <typename Result> void await(std::future<Result> future) {
        const auto shared = std::make_shared<std::future<Result>>(std::move(future));
        open_.emplace_back([shared] { shared->get(); });
        settle(most_open_);
    }

    Client& client_;
    std::string path_;
    std::vector<bool> there_;
    std::mt19937 random_{7};
    std::size_t writes_ = 0;
    std::size_t most_open_ = 50;
    std::deque<std::function<void()>> open_;
};

/// A node's data, and the numbers that identify the node.
using NodeFacts = std::tuple<std::string, std::int64_t, std::int64_t>;
using AllFacts = std::map<std::string, NodeFacts>;

AllFacts facts_of(const CachedNodes& nodes) {
    AllFacts all;
    for (const auto& [key, node] : nodes) all[node->path] = {node->data, node->stat.czxid, node->stat.mzxid};
    return all;
}

AllFacts facts_on_server(Client& client, const std::string& path) {
    std::map<std::string, std::future<NodeData>> reads;
    for (const std::string& name : client.children(path).names) {
        const std::string child = join_path(path, name);
        reads[child] = client.async_get(child, use_future);
    }
    AllFacts all;
    for (auto& [child, read] : reads) {
        const NodeData node = read.get();
        all[child] = {node.data, node.stat.czxid, node.stat.mzxid};
    }
    return all;
}

using CacheChurnTest = ProxiedTest;

/// A thousand children change while the connection of their cache is cut again and again.
/// The full test is DOCENT_CACHE_CHANGES=10000. On a machine with two cores, with 14 to 16 cuts meanwhile, the cache and the
/// events equalled the server's state 53 to 155 ms after the last change.
TEST_F(CacheChurnTest, EqualsTheServersStateThoughItsConnectionIsCutAllTheTime) {
    const std::uint64_t changes = number_from("DOCENT_CACHE_CHANGES", repetitions(2'000U));
    const std::size_t children = repetitions(std::size_t{1'000});
    constexpr int least_cuts = 6;
    other.create("/c", "");
    ChurningWriter writer(other, "/c", children);

    PathChildrenCache cache(client, "/c");
    CacheReplay replay(cache);
    cache.start();
    EXPECT_EQ(cache.children().size(), children);

    // Cuts once when everything has been read, and again during that reading.
    int cuts = 0;
    std::size_t connections = 0;
    const auto is_time_to_cut = [&] { return cuts % 2 == 0 ? cache.whole() : proxy.connections() > connections; };
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t changed = 0;
    for (; changed < changes || (cuts < least_cuts && changed < 1'000 * changes); ++changed) {
        writer.change();
        if (changed % 10 != 0 || !is_time_to_cut()) continue;
        connections = proxy.connections();
        proxy.cut();
        ++cuts;
    }
    // Changes after the last cut are seen by watches alone.
    EXPECT_TRUE(test::eventually([&] { return cache.whole(); }));
    for (std::size_t i = 0; i < children; ++i) writer.change();
    writer.settle(0);
    const auto last = std::chrono::steady_clock::now();
    const AllFacts truth = facts_on_server(other, "/c");
    EXPECT_TRUE(test::eventually([&] { return facts_of(cache.children()) == truth; }));
    const auto equal = std::chrono::steady_clock::now();
    EXPECT_TRUE(test::eventually([&] { return facts_of(replay.nodes()) == truth && replay.whole(); }));
    const auto replayed = std::chrono::steady_clock::now();

    EXPECT_TRUE(cache.whole());
    EXPECT_GE(cuts, least_cuts);
    EXPECT_GE(replay.times_whole(), std::size_t{least_cuts / 2}) << "it was whole between them";
    const auto ms = [](auto span) { return std::chrono::duration_cast<std::chrono::milliseconds>(span).count(); };
    std::cout << "changes=" << changed << " cuts=" << cuts << " writing_ms=" << ms(last - begin)
              << " connections=" << proxy.connections() << " times_whole=" << replay.times_whole()
              << " events=" << replay.changes().size() << " equal_ms=" << ms(equal - last)
              << " replayed_ms=" << ms(replayed - last) << " reads=" << proxy.requests(testing::Opcode::get)
              << " lists=" << proxy.requests(testing::Opcode::children2) << '\n';
}

} // namespace
} // namespace docent
