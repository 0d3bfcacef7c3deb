// SPDX-License-Identifier: Apache-2.0

// Double barriers on a fake ensemble: without faults, and with each fault at each step. tests/seeds has random faults. No
// member enters before all are there. No member leaves before all members that were inside leave. In the end, all enter and
// leave together.

#include "fake_recipes/barrier_member.hpp"
#include "fake_recipes/workload_injuries.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

constexpr const char* hall_path = "/work/barrier";

std::unique_ptr<Workload> workload_with_barrier(std::uint64_t seed, std::size_t members, std::size_t wanted, int rounds) {
    auto workload = std::make_unique<Workload>(seed, 3, std::vector<std::string>{hall_path});
    const auto hall = std::make_shared<BarrierHall>(hall_path, wanted);
    for (std::size_t n = 0; n < members; ++n) workload->add<BarrierMember>(n % 3, hall, rounds, BarrierMember::Habits{});
    return workload;
}

TEST(DoubleBarrierScenario, WithoutFaultsAllEnterAndLeaveTogether) {
    for (std::uint64_t seed = 0; seed < seeds(50) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto workload = workload_with_barrier(seed, 3, 3, 3);
        workload->run(600);
        workload->expect_good_end();
        EXPECT_GE(workload->achieved(), 3);
        for (std::size_t n = 0; n < 3; ++n) EXPECT_LE((*workload)[n].failed.size(), 1u) << "but for the last, which is stopped";
    }
}

// ---- one fault, at each step of the protocol

class DoubleBarrierInjury : public testing::TestWithParam<Injury<Workload>> {};

TEST_P(DoubleBarrierInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return workload_with_barrier(seed, 2 + seed % 2, 2, 1); };
    expect_good_end_at_each_step(6, make, [](Workload& workload) {
        GetParam().inflict(workload);
        workload.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(DoubleBarrier, DoubleBarrierInjury, testing::ValuesIn(all_workload_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
