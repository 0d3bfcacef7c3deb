// SPDX-License-Identifier: Apache-2.0

// Count-down latches on a fake ensemble, with all kinds of faults. Each successful count is there once. No waiter goes on
// before the latch is down. A latch that is down stays down.

#include "fake_recipes/latch_users.hpp"
#include "fake_recipes/town_injuries.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace docent::detail {
namespace {

constexpr const char* latch_path = "/jobs/ready";

std::unique_ptr<Town> town_with_latch(std::uint64_t seed, std::int64_t count, int turns, double hurries = 0) {
    auto town = std::make_unique<Town>(seed, 3, std::vector<std::string>{std::string(parent_path(latch_path))});
    const auto book = std::make_shared<LatchBook>(latch_path, count);
    for (std::size_t n = 0; n < 3; ++n) town->add<LatchCounter>(n % 3, book, turns, hurries);
    for (std::size_t n = 0; n < 3; ++n) town->add<LatchWaiter>(n % 3, book, turns);
    town->add<LatchNeighbour>(0u, book, turns);
    return town;
}

void live_through(std::uint64_t count, double hurries, const std::function<void(Town&, std::uint64_t)>& run) {
    int done = 0;
    for (std::uint64_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto town = town_with_latch(seed, 4 + static_cast<std::int64_t>(seed % 12), 5, hurries);
        run(*town, seed);
        town->expect_good_end();
        done += town->achieved();
    }
    EXPECT_GT(done, static_cast<int>(10 * count)); // otherwise this proves nothing
}

TEST(CountDownLatchScenario, WhateverHappensEachCountsOnceAndNobodyGoesOnTooEarly) {
    live_through(seeds(400), 0.1, [](Town& town, std::uint64_t seed) {
        town.world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        town.run(600);
    });
}

TEST(CountDownLatchScenario, SlowNetworksAndStoppedProcesses) { // a step may take longer than the session timeout
    live_through(seeds(60), 0, [](Town& town, std::uint64_t seed) {
        town.world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        town.world.fault_rate = 0.01;
        town.run(600);
    });
}

class CountDownLatchInjury : public testing::TestWithParam<Injury<Town>> {};

TEST_P(CountDownLatchInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return town_with_latch(seed, 5, 1); };
    expect_good_end_at_each_step(6, make, [](Town& town) {
        GetParam().inflict(town);
        town.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(CountDownLatch, CountDownLatchInjury, testing::ValuesIn(town_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
