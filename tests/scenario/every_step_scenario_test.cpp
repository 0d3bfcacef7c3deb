// SPDX-License-Identifier: Apache-2.0

// Ends an acquire of each recipe in each way, after each step of its protocol. The acquire completes once, and leaves no node.

#include "lock_request.hpp"
#include "names/node_name.hpp"

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::detail {
namespace {

constexpr std::size_t others_client = 0;
constexpr std::size_t own_client = 1;

/// `ours`: starts the operation under test. `others`: contenders that come before it; the first of them holds. `owned`: a lock
/// that our client has before the others come.
struct Recipe {
    using Start = std::function<AttemptPtr(const LockRequests&)>;

    std::string name;
    std::vector<std::pair<std::string, QueueNames>> queues;
    std::vector<Start> others;
    std::function<AttemptPtr(const LockRequests&, const AttemptPtr& owned)> ours;
    Start owned = nullptr;
};

void PrintTo(const Recipe& recipe, std::ostream* stream) {
    *stream << recipe.name;
}

std::vector<Recipe> all_recipes() {
    const auto mutex = [](std::string path) {
        return [path = std::move(path)](const LockRequests& request) { return request.mutex(others_client, path); };
    };
    const auto read = [](const LockRequests& request) { return request.read(others_client, "/lock"); };
    const auto write = [](const LockRequests& request) { return request.write(others_client, "/lock"); };
    const auto two_permits = [](const LockRequests& request) { return request.permits(others_client, "/s", 2); };
    return {
        {"Mutex",
         {{"/lock", mutex_names()}},
         {mutex("/lock"), mutex("/lock"), mutex("/lock")},
         [](const LockRequests& request, const AttemptPtr&) { return request.mutex(own_client, "/lock"); }},
        {"ReadLock",
         {{"/lock", read_write_names()}},
         {write, read, write},
         [](const LockRequests& request, const AttemptPtr&) { return request.read(own_client, "/lock"); }},
        {"WriteLock",
         {{"/lock", read_write_names()}},
         {read, read, write},
         [](const LockRequests& request, const AttemptPtr&) { return request.write(own_client, "/lock"); }},
        {"Downgrade",
         {{"/lock", read_write_names()}},
         {write, read, write},
         [](const LockRequests& request, const AttemptPtr& owned) { return request.downgrade(owned); },
         [](const LockRequests& request) { return request.write(own_client, "/lock"); }},
        {"Semaphore",
         {{"/s/leases", lease_names()}, {"/s/locks", mutex_names()}},
         {two_permits, two_permits, two_permits},
         [](const LockRequests& request, const AttemptPtr&) { return request.permits(own_client, "/s", 2); }},
        {"MultiLock",
         {{"/a", mutex_names()}, {"/b", mutex_names()}, {"/c", mutex_names()}},
         {mutex("/b"), mutex("/b"), mutex("/c")},
         [](const LockRequests& request, const AttemptPtr&) {
             return request.all_of(own_client, {"/c", "/a", "/b"});
         }},
    };
}

enum class Others { nobody, one, several, several_who_go };

/// A world with our operation (`ours`), and the other contenders that `who` asks for.
struct Scene {
    Scene(const Recipe& recipe, Others who, std::uint64_t seed)
        : world(seed, 2, recipe.queues.front().first, recipe.queues.front().second), goes(who == Others::several_who_go) {
        for (std::size_t n = 1; n < recipe.queues.size(); ++n) world.add_queue(recipe.queues[n].first, recipe.queues[n].second);
        const LockRequests request(world);
        if (recipe.owned) {
            owned = recipe.owned(request);
            expect_at_rest_with_more_than(0);
        }
        const std::size_t count = who == Others::nobody ? 0 : who == Others::one ? 1 : recipe.others.size();
        const auto own_nodes = nodes();
        for (std::size_t n = 0; n < count; ++n) {
            const auto before = nodes().size();
            others.push_back(recipe.others[n](request));
            expect_at_rest_with_more_than(before);
        }
        nodes_before = nodes().size();
        for (auto& path : nodes()) {
            if (std::find(own_nodes.begin(), own_nodes.end(), path) == own_nodes.end()) nodes_of_others.push_back(path);
        }
        requests_before = client().requests_sent();
        ours = recipe.ours(request, owned);
    }
    ~Scene() {
        for (const auto& other : others) other->abort(asio::error::operation_aborted);
        if (ours) ours->abort(asio::error::operation_aborted);
    }

    FakeClient& client() { return world.client(own_client); }
    std::vector<std::string> nodes() {
        const auto& tree = world.surroundings().ensemble.truth();
        auto paths = tree.paths();
        std::erase_if(paths, [&](const auto& path) { return tree.find(path)->stat.ephemeral_owner == 0; });
        return paths;
    }
    bool parked() { return !ours->completed && nodes().size() > nodes_before && world.all_idle(); }

    void step() {
        world.step();
        if (!goes) return;
        for (const auto& other : others) {
            if (other->got && world.surroundings().chance(0.2)) other->got.reset();
        }
    }
    /// Does up to `count` steps. Stops and returns false if our attempt ended, or began to wait, a few steps ago.
    bool step_to(int count) {
        constexpr int rest = 6;
        int resting = 0;
        for (int n = 0; n < count && resting < rest; ++n) {
            step();
            if (ours->completed || (!goes && parked())) ++resting;
        }
        return resting < rest;
    }
    bool run_until(const std::function<bool()>& done) {
        for (int n = 0; n < 20'000 && !done(); ++n) step();
        return done();
    }
    void run_for(std::chrono::nanoseconds length) {
        const auto end = world.surroundings().now + length;
        run_until([&] { return world.surroundings().now >= end; });
    }

    void expect_at_rest_with_more_than(std::size_t count) {
        EXPECT_TRUE(world.run_until([&] { return nodes().size() > count && world.all_idle(); }));
    }
    void expect_good_end() {
        EXPECT_EQ(ours->completed, 1);
        EXPECT_EQ(static_cast<bool>(ours->ec), !ours->got);
        ours->got.reset();
        if (owned) owned->got.reset();
        const auto left = [&] {
            auto paths = nodes();
            if (!goes) std::erase_if(paths, [&](const auto& path) { return contains(nodes_of_others, path); });
            return paths;
        };
        EXPECT_TRUE(run_until([&] { return world.all_idle() && left().empty(); })) << "left: " << left().size();
        EXPECT_EQ(ours->completed, 1);
        EXPECT_TRUE(ours->operation.expired()) << "kept after its end";
        EXPECT_TRUE(world.twins().empty()) << "a create was applied twice: " << *world.twins().begin();
        for (const auto& path : goes ? std::vector<std::string>{} : nodes_of_others) {
            EXPECT_TRUE(contains(nodes(), path)) << path << " was another one's";
        }
    }
    static bool contains(const std::vector<std::string>& all, const std::string& one) {
        return std::find(all.begin(), all.end(), one) != all.end();
    }

    FakeWorld world;
    const bool goes;
    AttemptPtr owned;
    std::vector<AttemptPtr> others;
    std::vector<std::string> nodes_of_others;
    std::size_t nodes_before = 0;
    std::uint64_t requests_before = 0; // of our client
    AttemptPtr ours;
};

constexpr std::uint64_t seeds_of_each = 4; // for each step, each seed is a run

class EveryRecipeAtEachStep : public testing::TestWithParam<Recipe> {
protected:
    /// `end` ends the attempt after `n` steps, for every n until the attempt is granted or waits.
    static void expect_good_end_with(const std::function<void(Scene&)>& end) {
        for (const Others who : {Others::nobody, Others::one, Others::several, Others::several_who_go}) {
            for (std::uint64_t seed = 0; seed < seeds_of_each; ++seed) walk(who, seed, end);
        }
    }

private:
    static void walk(Others who, std::uint64_t seed, const std::function<void(Scene&)>& end) {
        for (int n = 0; !HasFailure(); ++n) {
            SCOPED_TRACE(std::to_string(static_cast<int>(who)) + ", seed " + std::to_string(seed) + ", after " +
                         std::to_string(n) + " steps");
            Scene scene(GetParam(), who, seed);
            const bool waits = (who == Others::one || who == Others::several) && !scene.owned;
            if (!scene.step_to(n)) {
                EXPECT_EQ(scene.ours->completed, waits ? 0 : 1) << "or it would prove nothing";
                EXPECT_FALSE(scene.ours->ec) << scene.ours->ec.message();
                return;
            }
            end(scene);
            scene.expect_good_end();
        }
    }
};

/// Aborts the attempt as its caller does. The caller is told at once.
void abort_with(Scene& scene, error_code why) {
    const bool was_under_way = !scene.ours->completed;
    scene.ours->abort(why);
    EXPECT_EQ(scene.ours->completed, 1);
    EXPECT_TRUE(!was_under_way || scene.ours->ec == why) << scene.ours->ec.message();
}

TEST_P(EveryRecipeAtEachStep, Cancelled) {
    expect_good_end_with([](Scene& scene) { abort_with(scene, asio::error::operation_aborted); });
}

TEST_P(EveryRecipeAtEachStep, OutOfTime) {
    expect_good_end_with([](Scene& scene) { abort_with(scene, error::not_acquired); });
}

TEST_P(EveryRecipeAtEachStep, CancelledAsTheConnectionBreaks) {
    expect_good_end_with([](Scene& scene) {
        if (scene.client().linked()) scene.client().break_link();
        abort_with(scene, asio::error::operation_aborted);
    });
    expect_good_end_with([](Scene& scene) {
        abort_with(scene, asio::error::operation_aborted);
        if (scene.client().linked()) scene.client().break_link();
    });
}

/// Requests that were sent may still be done meanwhile. The session survives.
TEST_P(EveryRecipeAtEachStep, OutOfTimeWithoutAConnection) {
    expect_good_end_with([](Scene& scene) {
        scene.client().unreachable = true;
        if (scene.client().linked()) scene.client().break_link();
        scene.run_for(std::chrono::milliseconds{500});
        abort_with(scene, error::not_acquired);
        scene.run_for(std::chrono::milliseconds{500});
        scene.client().unreachable = false;
    });
}

/// An attempt that has sent no request yet fails in time. Otherwise it keeps its place until it is aborted.
TEST_P(EveryRecipeAtEachStep, NoConnectionInTime) {
    expect_good_end_with([](Scene& scene) {
        const bool asked = scene.client().requests_sent() > scene.requests_before;
        scene.client().unreachable = true;
        if (scene.client().linked()) scene.client().break_link();
        scene.run_for(scene.client().connection_timeout() + std::chrono::seconds{5});
        EXPECT_TRUE(scene.ours->completed || asked) << "waits for ever";
        if (!scene.ours->completed) scene.ours->abort(asio::error::operation_aborted);
        scene.client().unreachable = false;
    });
}

TEST_P(EveryRecipeAtEachStep, ClientClosed) {
    expect_good_end_with([](Scene& scene) {
        scene.client().close();
        EXPECT_EQ(scene.ours->completed, 1);
    });
}

INSTANTIATE_TEST_SUITE_P(Recipes, EveryRecipeAtEachStep, testing::ValuesIn(all_recipes()),
                         [](const auto& each) { return each.param.name; });

} // namespace
} // namespace docent::detail
