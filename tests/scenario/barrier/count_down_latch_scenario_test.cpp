// SPDX-License-Identifier: Apache-2.0

// Count-down latches on a fake ensemble, with all kinds of faults. Each successful count is there once. No waiter goes on
// before the latch is down. A latch that is down stays down.

#include "fake_recipes/latch_users.hpp"
#include "fake_recipes/workload_injuries.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

namespace docent::detail {
namespace {

constexpr const char* latch_path = "/jobs/ready";

std::unique_ptr<Workload> workload_with_latch(std::uint64_t seed, std::int64_t count, int turns, double hurries = 0) {
    auto workload = std::make_unique<Workload>(seed, 3, std::vector<std::string>{std::string(parent_path(latch_path))});
    const auto book = std::make_shared<LatchBook>(latch_path, count);
    for (std::size_t n = 0; n < 3; ++n) workload->add<LatchCounter>(n % 3, book, turns, hurries);
    for (std::size_t n = 0; n < 3; ++n) workload->add<LatchWaiter>(n % 3, book, turns);
    workload->add<LatchNeighbour>(0u, book, turns);
    return workload;
}

void live_through(std::uint64_t count, double hurries, const std::function<void(Workload&, std::uint64_t)>& run) {
    int done = 0;
    for (std::uint64_t seed = 0; seed < count && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto workload = workload_with_latch(seed, 4 + static_cast<std::int64_t>(seed % 12), 5, hurries);
        run(*workload, seed);
        workload->expect_good_end();
        done += workload->achieved();
    }
    EXPECT_GT(done, static_cast<int>(10 * count)); // otherwise this proves nothing
}

TEST(CountDownLatchScenario, EachCountsOnceAndNoWaiterPassesTooEarly) {
    live_through(seeds(400), 0.1, [](Workload& workload, std::uint64_t seed) {
        workload.world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        workload.run(600);
    });
}

TEST(CountDownLatchScenario, SlowNetworksAndStoppedProcesses) { // a step may take longer than the session timeout
    live_through(seeds(60), 0, [](Workload& workload, std::uint64_t seed) {
        workload.world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        workload.world.fault_rate = 0.01;
        workload.run(600);
    });
}

class CountDownLatchInjury : public testing::TestWithParam<Injury<Workload>> {};

TEST_P(CountDownLatchInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return workload_with_latch(seed, 5, 1); };
    expect_good_end_at_each_step(6, make, [](Workload& workload) {
        GetParam().inflict(workload);
        workload.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(CountDownLatch, CountDownLatchInjury, testing::ValuesIn(workload_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
