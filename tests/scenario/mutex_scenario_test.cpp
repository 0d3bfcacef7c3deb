// SPDX-License-Identifier: Apache-2.0

// The mutex on a fake ensemble: without faults, and with each fault at each step. tests/seeds has random faults.

#include "contestant.hpp"
#include "injuries.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

namespace docent::detail {
namespace {

constexpr const char* mutex_path = "/lock";

struct MutexFixture final : ScenarioFixture<Contestant> {
    MutexFixture(std::uint64_t seed, int clients, int contestants, int turns) : ScenarioFixture(seed, clients, mutex_path) {
        for (int n = 0; n < contestants; ++n) {
            all.emplace_back(world, static_cast<std::size_t>(n % clients), mutex_path, turns, Contestant::Habits{});
            all.back().on_grant = [this](std::int64_t czxid) { granted.push_back(czxid); };
        }
    }

    void step() override {
        world.step();
        if (!world.surroundings().chance(0.3)) return;
        for (auto& one : all) one.check_exclusion();
    }

    std::vector<std::int64_t> granted;
};

TEST(MutexScenario, WithoutFaultsAllAreServedInOrder) {
    for_each_seed(seeds(200), [&](std::uint64_t seed) {
        MutexFixture scenario(seed, 3, 5, 4);
        scenario.expect_good_end();
        EXPECT_EQ(scenario.granted.size(), 20u);
        EXPECT_TRUE(std::is_sorted(scenario.granted.begin(), scenario.granted.end()));
        for (const auto& one : scenario.all) EXPECT_TRUE(one.failed.empty());
    });
}

// ---- one fault, at each step of the protocol. every_step_scenario_test.cpp cancels and closes at each step.

class InjuryAtEachStep : public testing::TestWithParam<Injury<MutexFixture>> {};

TEST_P(InjuryAtEachStep, EndsWell) {
    const auto make = [](std::uint64_t seed) { return std::make_unique<MutexFixture>(seed, 3, 3, 1); };
    expect_good_end_at_each_step(12, make, GetParam().inflict);
}

INSTANTIATE_TEST_SUITE_P(Mutex, InjuryAtEachStep, testing::ValuesIn(all_injuries<MutexFixture>()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
