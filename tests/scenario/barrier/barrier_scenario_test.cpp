// SPDX-License-Identifier: Apache-2.0

// Barriers on a fake ensemble, with all kinds of faults. No waiter goes on while the barrier exists, and every waiter goes on
// after the barrier is removed.

#include "fake_recipes/administrator.hpp"
#include "fake_recipes/gate_users.hpp"
#include "fake_recipes/workload_injuries.hpp"
#include "seeds.hpp"

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

TEST(BarrierScenario, NoWaiterPassesTooEarlyOrWaitsForEver) {
    int passages = 0;
    for (std::uint64_t seed = 0; seed < seeds(400) && !testing::Test::HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const auto workload = workload_with_gate(seed, 6);
        if (seed % 2 == 0) workload->add<Administrator>(2, workload->folders, 5);
        workload->world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        if (seed % 4 == 0) workload->world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        workload->run(600);
        workload->expect_good_end();
        passages += workload->achieved();
    }
    EXPECT_GT(passages, static_cast<int>(5 * seeds(400))); // otherwise this proves nothing
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
