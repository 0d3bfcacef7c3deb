// SPDX-License-Identifier: Apache-2.0

// The ensemble goes back to an older state at some moment, with all other faults. docent cannot promise exclusion then
// (docs/guarantees.md). But all contenders get through, and nothing is left.

#include "contestant.hpp"
#include "permit_taker.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

template <typename One> struct RolledBackFixture final : ScenarioFixture<One> {
    using ScenarioFixture<One>::ScenarioFixture;
    void step() override { this->world.step(); }
};

/// Runs some steps to a state that is remembered, and some steps that will be lost.
template <typename One> void play(RolledBackFixture<One>& scenario, std::uint64_t seed, double fault_rate) {
    FakeWorld& world = scenario.world;
    auto& chance = world.surroundings();
    world.fault_rate = seed % 2 == 0 ? 0 : fault_rate;
    for (std::uint64_t times = 0; times < 1 + seed % 3; ++times) {
        scenario.run(static_cast<int>(chance.below(200)));
        const auto past = chance.ensemble.past();
        scenario.run(static_cast<int>(chance.below(200)));
        if (chance.chance(0.5)) world.inflict(FakeWorld::Fault::break_link);
        world.go_back_to(past);
    }
    scenario.run(100);
    scenario.expect_good_end();
}

TEST(RollbackScenario, AllGetTheMutexAndNoNodeIsLeft) {
    for_each_seed(seeds(1000), [&](std::uint64_t seed) {
        RolledBackFixture<Contestant> scenario(seed, 3, "/lock");
        for (std::size_t n = 0; n < 4; ++n) {
            scenario.all.emplace_back(scenario.world, n % 3, "/lock", 4,
                                      Contestant::Habits{.gives_up = 0.1, .hurries = 0.1, .tries = 0.1, .lingers = 0.1});
        }
        play(scenario, seed, 0.01);
    });
}

/// Without ended sessions and deleted nodes, because a rollback may then cause a deadlock. A contender's node at the gate is
/// gone, the next contender is admitted, and the rollback brings the node back. Then both wait for each other.
TEST(RollbackScenario, AllGetPermitsAndNoNodeIsLeft) {
    for_each_seed(seeds(500), [&](std::uint64_t seed) {
        RolledBackFixture<PermitTaker> scenario(seed, 3, "/s/leases", lease_names());
        scenario.world.add_queue("/s/locks", mutex_names());
        const auto limit = std::make_shared<FakeLimit>(2);
        for (std::size_t n = 0; n < 4; ++n) {
            scenario.all.emplace_back(scenario.world, n % 3, "/s", limit, 3,
                                      PermitTaker::Habits{.most = 2, .gives_up = 0.1, .hurries = 0.1, .tries = 0.1});
        }
        play(scenario, seed, 0);
    });
}

} // namespace
} // namespace docent::detail
