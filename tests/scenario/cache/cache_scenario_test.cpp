// SPDX-License-Identifier: Apache-2.0

// Caches on a fake ensemble with nodes that come, change and go, and with all kinds of faults. Everything that a cache shows
// existed at some time. In the end, the cache shows the present nodes.

#include "cache/cache_core.hpp"
#include "fake_world.hpp"
#include "scenario/injuries.hpp"
#include "scenario/scenario_fixture.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace docent::detail {
namespace {

/// A version of a node: its path, czxid, mzxid and data.
using NodeIdentity = std::tuple<std::string, std::int64_t, std::int64_t, std::string>;

/// Changes a small tree, and remembers every version of every node.
class Gardener final : public FakeActor {
public:
    Gardener(FakeWorld& world, int changes) : world_(world), left_(changes) { world.add(*this); }

    bool ready() const override { return left_ > 0; }
    void act() override {
        --left_;
        auto& ensemble = world_.surroundings().ensemble;
        const std::string path = any_path();
        const std::string data = std::to_string(left_);
        const TreeNode* const node = ensemble.truth().find(path);
        if (!node) ensemble.number_next_child(path, 0); // creates it, and its parents
        else if (node->stat.num_children == 0 && below(2) == 0) ensemble.delete_node(path);
        else ensemble.change_node(path, data);
        note();
    }
    /// Call it after each change.
    void note() {
        const NodeTree& truth = world_.surroundings().ensemble.truth();
        for (const std::string& each : truth.paths()) {
            const TreeNode& there = *truth.find(each);
            ever_.emplace(each, there.stat.czxid, there.stat.mzxid, there.data);
        }
    }
    bool was_there(const CachedNode& node) const {
        return ever_.contains({node.path, node.stat.czxid, node.stat.mzxid, node.data});
    }
    void stop() { left_ = 0; }

    static constexpr const char* root = "/r";

private:
    std::size_t below(std::size_t bound) { return world_.surroundings().below(bound); }
    std::string any_path() {
        std::string path = root;
        for (std::size_t depth = below(10) == 0 ? 0 : 1 + below(3); depth > 0; --depth) {
            path = join_path(path, std::string(1, static_cast<char>('a' + below(3))));
        }
        return path;
    }

    FakeWorld& world_;
    int left_;
    std::set<NodeIdentity> ever_;
};

/// A cache with a listener that replays all changes.
struct FollowedCache {
    FollowedCache(FakeWorld& world, std::size_t client, CacheShape shape, Gardener& gardener)
        : shape(shape), core(std::make_shared<CacheCore>(world.share(client), shape, nullptr)) {
        listening = core->listen([this, &gardener](const CacheEvent& event) { on_event(event, gardener); });
        core->start();
    }

    void on_event(const CacheEvent& event, const Gardener& gardener) {
        const CachedNodePtr known = replayed.find(event.path);
        if (event.change == CacheChange::added && known) complain("added twice: ", event);
        if (event.change == CacheChange::changed && (!known || known != event.before))
            complain("changed from another: ", event);
        if (event.change == CacheChange::removed && (!known || known != event.before)) complain("removed another: ", event);
        if (event.change == CacheChange::whole && replayed.whole()) complain("whole twice", event);
        if (event.change == CacheChange::stale && !replayed.whole()) complain("stale twice", event);
        if (event.node && !gardener.was_there(*event.node)) complain("was never there: ", event);
        if (event.node && !rolled_back) {
            auto& newest = last_seen[event.path];
            if (event.node->stat.mzxid <= newest) complain("older than what was shown: ", event);
            newest = event.node->stat.mzxid;
        }
        replayed.apply(event);
    }
    void complain(const char* what, const CacheEvent& event) { complaints.push_back(what + event.path); }

    bool equals(const NodeTree& truth) const {
        std::set<NodeIdentity> there;
        for (const std::string& path : truth.paths()) {
            const auto depth = std::count(path.begin(), path.end(), '/') - 1;
            if (!path.starts_with(shape.root) || depth > shape.depth || (depth == 0 && !shape.shows_root)) continue;
            const TreeNode& node = *truth.find(path);
            there.emplace(path, node.stat.czxid, node.stat.mzxid, node.data);
        }
        std::set<NodeIdentity> shown;
        for (const auto& [path, node] : core->look([](const CacheView& view) { return view.nodes(); })) {
            shown.emplace(path, node->stat.czxid, node->stat.mzxid, node->data);
        }
        return shown == there;
    }

    CacheShape shape;
    std::shared_ptr<CacheCore> core;
    Registration listening;
    CacheView replayed;
    std::map<std::string, std::int64_t> last_seen;
    std::vector<std::string> complaints;
    bool rolled_back = false;
};

/// One tree that a Gardener changes, and three caches of it with different shapes.
struct Garden {
    Garden(std::uint64_t seed, int changes) : world(seed, 3, "/lock"), gardener(world, changes) {
        world.surroundings().ensemble.number_next_child(Gardener::root, 0);
        gardener.note();
        const CacheShape shapes[] = {{.root = Gardener::root, .depth = 0},
                                     {.root = Gardener::root, .shows_root = false, .depth = 1},
                                     {.root = Gardener::root}};
        for (std::size_t n = 0; n < 3; ++n) {
            caches.push_back(std::make_unique<FollowedCache>(world, n, shapes[n], gardener));
        }
    }

    void step() {
        ++steps_;
        world.step();
    }
    void run(std::size_t steps) {
        for (std::size_t n = 0; n < steps; ++n) step();
    }
    /// expect_good_end_at_each_step() injects faults at each of these steps.
    bool finished() const { return steps_ >= 150; }
    /// Without more faults and changes, all caches become equal to the tree.
    void expect_good_end() {
        world.fault_rate = 0;
        gardener.stop();
        const auto good = [&](const auto& cache) {
            return cache->replayed.whole() && cache->equals(world.surroundings().ensemble.truth());
        };
        EXPECT_TRUE(world.run_until([&] { return std::all_of(caches.begin(), caches.end(), good); })) << "a cache differs";
        for (const auto& cache : caches) {
            for (const std::string& complaint : cache->complaints) ADD_FAILURE() << complaint;
            EXPECT_EQ(cache->replayed.nodes(), cache->core->look([](const CacheView& view) { return view.nodes(); }));
        }
    }

    FakeWorld world;
    Gardener gardener;
    std::vector<std::unique_ptr<FollowedCache>> caches;

private:
    std::size_t steps_ = 0;
};

TEST(CacheScenario, WithoutFaultsTheyShowTheNodes) {
    for_each_seed(seeds(100), [&](std::uint64_t seed) {
        Garden garden(seed, 100);
        garden.run(1'000);
        garden.expect_good_end();
    });
}

TEST(CacheScenario, TheyShowTheNodesAndNoOlderStateReturns) {
    for_each_seed(seeds(500), [&](std::uint64_t seed) {
        Garden garden(seed, 100);
        garden.world.fault_rate = 0.002 * static_cast<double>(1 + seed % 8);
        garden.run(2'000);
        garden.expect_good_end();
    });
}

/// The client that the faults hit. Its cache has the whole subtree.
constexpr std::size_t victim = 2;

class CacheInjury : public testing::TestWithParam<Injury<Garden>> {};

TEST_P(CacheInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<Garden>(seed, 60); };
    expect_good_end_at_each_step(4, make, [](Garden& garden) {
        GetParam().inflict(garden);
        garden.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(
    Cache, CacheInjury,
    testing::Values(
        Injury<Garden>{"ConnectionBroken", [](Garden& garden) { garden.world.inflict(FakeWorld::Fault::break_link, victim); }},
        Injury<Garden>{"ConnectionCutUnnoticed",
                       [](Garden& garden) { garden.world.inflict(FakeWorld::Fault::cut_link, victim); }},
        Injury<Garden>{"SessionEnded", [](Garden& garden) { garden.world.inflict(FakeWorld::Fault::end_session, victim); }},
        Injury<Garden>{"ProcessStopped", [](Garden& garden) { garden.world.client(victim).freeze(std::chrono::seconds{60}); }},
        Injury<Garden>{"QuorumLost", [](Garden& garden) { garden.world.inflict(FakeWorld::Fault::lose_quorum, victim); }},
        Injury<Garden>{"EventLost", [](Garden& garden) { garden.world.inflict(FakeWorld::Fault::lose_event, victim); }},
        Injury<Garden>{"ServerTooBusy", [](Garden& garden) { garden.world.inflict(FakeWorld::Fault::throttle, victim); }}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(CacheScenario, AnEnsembleThatWentBackIsFollowed) {
    for_each_seed(seeds(200), [&](std::uint64_t seed) {
        Garden garden(seed, 200);
        for (const auto& cache : garden.caches) cache->rolled_back = true;
        garden.world.fault_rate = seed % 2 == 0 ? 0 : 0.005;
        garden.run(300);
        const auto past = garden.world.surroundings().ensemble.past();
        garden.run(300);
        garden.world.go_back_to(past);
        garden.run(300);
        garden.expect_good_end();
    });
}

} // namespace
} // namespace docent::detail
