// SPDX-License-Identifier: Apache-2.0

// Barriers on a fake ensemble, with all kinds of faults. No waiter goes on while the barrier exists, and every waiter goes on
// after the barrier is removed.

#include "fake_recipes/administrator.hpp"
#include "fake_recipes/gate_users.hpp"
#include "fake_recipes/town_injuries.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

std::unique_ptr<Town> town_with_gate(std::uint64_t seed, int turns) {
    auto town = std::make_unique<Town>(seed, 3, std::vector<std::string>{std::string(parent_path(gate_path))});
    for (std::size_t n = 0; n < 4; ++n)
        n % 2 == 0 ? void(town->add<GateWaiter>(n % 3, turns)) : void(town->add<GateKeeper>(n % 3, turns));
    return town;
}

TEST(BarrierScenario, WhateverHappensNobodyGoesOnTooEarlyOrWaitsForEver) {
    int passages = 0;
    for (std::uint64_t seed = 0; seed < seeds(400) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto town = town_with_gate(seed, 6);
        if (seed % 2 == 0) town->add<Administrator>(2, town->folders, 5);
        town->world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        if (seed % 4 == 0) town->world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        town->run(600);
        town->expect_good_end();
        passages += town->achieved();
    }
    EXPECT_GT(passages, static_cast<int>(5 * seeds(400))); // otherwise this proves nothing
}

class BarrierInjury : public testing::TestWithParam<Injury<Town>> {};

TEST_P(BarrierInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return town_with_gate(seed, 1); };
    expect_good_end_at_each_step(6, make, [](Town& town) {
        GetParam().inflict(town);
        town.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(Barrier, BarrierInjury, testing::ValuesIn(all_town_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
