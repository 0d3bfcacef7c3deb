// SPDX-License-Identifier: Apache-2.0

// Count-down latches on a fake ensemble, with each fault at each step; tests/seeds has random faults. Each successful count is
// there once. No waiter goes on before the latch is down. A latch that is down stays down.

#include "fake_recipes/latch_users.hpp"
#include "fake_recipes/workload_injuries.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

constexpr const char* latch_path = "/jobs/ready";

std::unique_ptr<Workload> workload_with_latch(std::uint64_t seed, std::int64_t count, int turns) {
    auto workload = std::make_unique<Workload>(seed, 3, std::vector<std::string>{std::string(parent_path(latch_path))});
    const auto book = std::make_shared<LatchBook>(latch_path, count);
    for (std::size_t n = 0; n < 3; ++n) workload->add<LatchCounter>(n % 3, book, turns, 0.0);
    for (std::size_t n = 0; n < 3; ++n) workload->add<LatchWaiter>(n % 3, book, turns);
    workload->add<LatchNeighbour>(0u, book, turns);
    return workload;
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
