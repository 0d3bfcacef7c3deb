// SPDX-License-Identifier: Apache-2.0

// A cache of a thousand children whose connection is cut again and again during changes. In the end the cache and the
// listeners' copies equal the server's state.

#include "cache_replay.hpp"
#include "eventually.hpp"
#include "proxied_test.hpp"
#include "seeds.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace docent {
namespace {

using boost::asio::use_future;

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

/// The full test is DOCENT_CACHE_CHANGES=10000. On a machine with two cores, with 14 to 16 cuts meanwhile, the cache and the
/// events equalled the server's state 53 to 155 ms after the last change.
TEST_F(CacheChurnTest, EqualsTheServersStateThoughItsConnectionIsCutAllTheTime) {
    const std::uint64_t changes = seeds_from("DOCENT_CACHE_CHANGES", repetitions(2'000U));
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
