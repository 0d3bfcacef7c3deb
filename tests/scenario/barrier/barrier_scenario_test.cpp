// SPDX-License-Identifier: Apache-2.0

// Barriers on a fake ensemble, with each fault at each step; tests/seeds has random faults. No waiter goes on while the barrier
// exists, and every waiter goes on after the barrier is removed.

#include "fake_recipes/gate_users.hpp"
#include "fake_recipes/workload_injuries.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace docent::detail {
namespace {

std::unique_ptr<Workload> workload_with_gate(std::uint64_t seed, int turns) {
    auto workload = std::make_unique<Workload>(seed, 3, std::vector<std::string>{std::string(parent_path(gate_path))});
    for (std::size_t n = 0; n < 4; ++n)
        n % 2 == 0 ? void(workload->add<GateWaiter>(n % 3, turns)) : void(workload->add<GateKeeper>(n % 3, turns));
    return workload;
}

class BarrierInjury : public testing::TestWithParam<Injury<Workload>> {};

TEST_P(BarrierInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return workload_with_gate(seed, 1); };
    expect_good_end_at_each_step(6, make, [](Workload& workload) {
        GetParam().inflict(workload);
        workload.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(Barrier, BarrierInjury, testing::ValuesIn(all_workload_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
