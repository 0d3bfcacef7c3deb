// SPDX-License-Identifier: Apache-2.0

// Multi-locks that overlap, with their locks in every order, on a fake ensemble: without faults, and with each fault at each
// step. tests/seeds has random faults.

#include "fake_multi_lock.hpp"
#include "fake_recipes/actor.hpp"
#include "injuries.hpp"
#include "lease/lease_core.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

/// Acquires several locks of a FakeWorld at once, again and again, and checks the promises of the multi-lock.
class MultiContestant final : public Actor {
public:
    MultiContestant(FakeWorld& world, std::size_t client, const std::vector<std::string>& paths, int turns)
        : Actor(world, client), core_(fake_multi_lock(world, client, paths)), turns_(turns) {}

    bool ready() const override { return turns_ > 0 && !waiting_ && !lease_; }
    void act() override {
        --turns_;
        waiting_ = true;
        initiate_acquire(core_, {}, {}, [this](error_code ec, MultiLease lease) { on_done(ec, std::move(lease)); });
    }

    bool finished() const override { return turns_ == 0 && !waiting_ && !lease_; }
    bool waiting() const { return waiting_; }

    /// Each node that it owns must be the first in its queue, unless a fault has just removed the node.
    void check_exclusion() {
        if (!lease_.owns()) return;
        for (std::size_t i = 0; i < lease_.leases().size(); ++i) {
            const auto path = lease_.leases()[i].node_path();
            const auto first = world_.first(core_->listed()[i]->path());
            if (!world_.was_taken(path) && first != path) complain(path + " is owned, first is " + first);
        }
    }

    int granted = 0;

private:
    void on_done(error_code ec, MultiLease lease) {
        if (!waiting_) complain("completed twice");
        waiting_ = false;
        if (ec) {
            if (lease) complain("an error and a lease");
            failed.push_back(ec);
            return;
        }
        ++granted;
        lease_ = std::move(lease);
        after(random_ms(30), [this] { lease_ = MultiLease{}; });
    }

    const std::shared_ptr<MultiCore> core_;
    int turns_;
    bool waiting_ = false;
    MultiLease lease_;
};

const std::vector<std::vector<std::string>> lists = {{"/a", "/b", "/c"}, {"/c", "/b", "/a"}, {"/b", "/a"},
                                                     {"/c", "/a"},       {"/b", "/c"},       {"/a"}};

struct MultiLockFixture final : ScenarioFixture<MultiContestant> {
    MultiLockFixture(std::uint64_t seed, int contestants, int turns) : ScenarioFixture(seed, 3, "/a") {
        world.add_queue("/b");
        world.add_queue("/c");
        for (int n = 0; n < contestants; ++n) {
            const auto& paths = lists[world.surroundings().below(lists.size())];
            all.emplace_back(world, static_cast<std::size_t>(n % 3), paths, turns);
        }
    }

    void step() override {
        world.step();
        if (!world.surroundings().chance(0.3)) return;
        for (auto& one : all) one.check_exclusion();
    }
    int granted() const {
        int sum = 0;
        for (const auto& one : all) sum += one.granted;
        return sum;
    }
};

TEST(MultiLockScenario, WithoutFaultsAllAreServed) {
    for_each_seed(seeds(300), [&](std::uint64_t seed) {
        MultiLockFixture scenario(seed, 6, 4);
        scenario.expect_good_end();
        EXPECT_EQ(scenario.granted(), 24);
    });
}

// ---- one fault, at each step of the protocol; every_step_scenario_test.cpp ends an acquire at each step

class MultiLockAtEachStep : public testing::TestWithParam<Injury<MultiLockFixture>> {};

TEST_P(MultiLockAtEachStep, EndsWell) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<MultiLockFixture>(seed, 3, 1); };
    expect_good_end_at_each_step(8, make, GetParam().inflict);
}

INSTANTIATE_TEST_SUITE_P(MultiLock, MultiLockAtEachStep, testing::ValuesIn(all_injuries<MultiLockFixture>()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
