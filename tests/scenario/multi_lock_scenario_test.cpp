// SPDX-License-Identifier: Apache-2.0

// Multi-locks that overlap, with their locks in every order, on a fake ensemble: without faults, and with each fault at each
// step. tests/seeds has random faults.

#include "injuries.hpp"
#include "multi_contestant.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

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
    for (std::uint64_t seed = 0; seed < seeds(300); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        MultiLockFixture scenario(seed, 6, 4);
        scenario.expect_good_end();
        EXPECT_EQ(scenario.granted(), 24);
        if (HasFailure()) break;
    }
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
