// SPDX-License-Identifier: Apache-2.0

// The semaphore on a fake ensemble without faults. tests/seeds has faults.

#include "names/node_name.hpp"
#include "permit_taker.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace docent::detail {
namespace {

constexpr const char* path = "/semaphore";

struct SemaphoreFixture final : ScenarioFixture<PermitTaker> {
    SemaphoreFixture(std::uint64_t seed, int clients, int takers, int turns, std::int32_t permits, PermitTaker::Habits habits)
        : ScenarioFixture(seed, clients, join_path(path, "leases"), lease_names()),
          limit(std::make_shared<FakeLimit>(permits)) {
        world.add_queue(join_path(path, "locks"), mutex_names());
        for (int n = 0; n < takers; ++n) {
            all.emplace_back(world, static_cast<std::size_t>(n % clients), path, limit, turns, habits);
        }
    }

    void step() override {
        world.step();
        std::int32_t held = 0;
        for (const auto& one : all) held += one.holds();
        most = std::max(most, held);
        error_code ec;
        if (held > limit->now(ec)) ADD_FAILURE() << held << " permits are held";
    }
    int granted() const {
        return std::accumulate(all.begin(), all.end(), 0, [](int sum, const auto& one) { return sum + one.granted; });
    }

    std::shared_ptr<FakeLimit> limit;
    std::int32_t most = 0;
};

TEST(SemaphoreScenario, WithoutFaultsAllAreServedAndAllPermitsAreUsed) {
    for_each_seed(seeds(300), [&](std::uint64_t seed) {
        SemaphoreFixture scenario(seed, 3, 8, 4, 3, {.most = 3});
        scenario.expect_good_end();
        EXPECT_EQ(scenario.granted(), 32);
        EXPECT_EQ(scenario.most, 3);
    });
}

} // namespace
} // namespace docent::detail
