// SPDX-License-Identifier: Apache-2.0

// Multi-locks that overlap, with their locks in every order, on a fake ensemble, with each fault at each step. tests/seeds runs
// them without faults, and with random faults.

#include "fake_multi_lock.hpp"
#include "fake_recipes/actor.hpp"
#include "injuries.hpp"
#include "lease/lease_core.hpp"
#include "scenario_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

/// Acquires several locks of a FakeWorld at once, and checks the promises of the multi-lock.
class MultiContestant final : public Actor {
public:
    MultiContestant(FakeWorld& world, std::size_t client, const std::vector<std::string>& paths)
        : Actor(world, client), core_(fake_multi_lock(world, client, paths)) {}

    bool ready() const override { return !begun_; }
    void act() override {
        begun_ = waiting_ = true;
        initiate_acquire(core_, {}, {}, [this](error_code ec, MultiLease lease) { on_done(ec, std::move(lease)); });
    }

    bool finished() const override { return begun_ && !waiting_ && !lease_; }

    /// Each node that it owns must be the first in its queue, unless a fault has just removed the node.
    void check_exclusion() {
        if (!lease_.owns()) return;
        for (std::size_t i = 0; i < lease_.leases().size(); ++i) {
            const auto path = lease_.leases()[i].node_path();
            const auto first = world_.first(core_->listed()[i]->path());
            if (!world_.was_taken(path) && first != path) complain(path + " is owned, first is " + first);
        }
    }

private:
    void on_done(error_code ec, MultiLease lease) {
        if (!waiting_) complain("completed twice");
        waiting_ = false;
        if (ec) {
            if (lease) complain("an error and a lease");
            failed.push_back(ec);
            return;
        }
        lease_ = std::move(lease);
        after(random_ms(30), [this] { lease_ = MultiLease{}; });
    }

    const std::shared_ptr<MultiCore> core_;
    bool begun_ = false;
    bool waiting_ = false;
    MultiLease lease_;
};

const std::vector<std::vector<std::string>> lists = {{"/a", "/b", "/c"}, {"/c", "/b", "/a"}, {"/b", "/a"},
                                                     {"/c", "/a"},       {"/b", "/c"},       {"/a"}};

struct MultiLockFixture final : ScenarioFixture<MultiContestant> {
    explicit MultiLockFixture(std::uint64_t seed) : ScenarioFixture(seed, 3, "/a") {
        world.add_queue("/b");
        world.add_queue("/c");
        for (std::size_t n = 0; n < 3; ++n) {
            const auto& paths = lists[world.surroundings().below(lists.size())];
            all.emplace_back(world, n, paths);
        }
    }

    void step() override {
        world.step();
        if (!world.surroundings().chance(0.3)) return;
        for (auto& one : all) one.check_exclusion();
    }
};

// ---- one fault, at each step of the protocol; every_step_scenario_test.cpp ends an acquire at each step

class MultiLockAtEachStep : public testing::TestWithParam<Injury<MultiLockFixture>> {};

TEST_P(MultiLockAtEachStep, EndsWell) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<MultiLockFixture>(seed); };
    expect_good_end_at_each_step(8, make, GetParam().inflict);
}

INSTANTIATE_TEST_SUITE_P(MultiLock, MultiLockAtEachStep, testing::ValuesIn(all_injuries<MultiLockFixture>()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
