// SPDX-License-Identifier: Apache-2.0

// Recipes without locks on a fake ensemble, with each fault at each step; tests/seeds has random faults.

#include "fake_recipes/barrier_member.hpp"
#include "fake_recipes/gate_users.hpp"
#include "fake_recipes/job_worker.hpp"
#include "fake_recipes/latch_users.hpp"
#include "fake_recipes/node_keeper.hpp"
#include "fake_recipes/workload_injuries.hpp"
#include "scenario_fixture.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace docent::detail {
namespace {

using WorkloadPtr = std::unique_ptr<Workload>;

WorkloadPtr workload_at(std::uint64_t seed, std::vector<std::string> folders_of_nodes) {
    return std::make_unique<Workload>(seed, 3, std::move(folders_of_nodes));
}

/// No waiter goes on while the barrier exists, and every waiter goes on after the barrier is removed.
WorkloadPtr barrier_workload(std::uint64_t seed) {
    auto workload = workload_at(seed, {std::string(parent_path(gate_path))});
    for (std::size_t n = 0; n < 4; ++n)
        n % 2 == 0 ? void(workload->add<GateWaiter>(n % 3, 1)) : void(workload->add<GateKeeper>(n % 3, 1));
    return workload;
}

/// Each successful count is there once. No waiter goes on before the latch is down. A latch that is down stays down.
WorkloadPtr count_down_latch_workload(std::uint64_t seed) {
    auto workload = workload_at(seed, {"/jobs"});
    const auto book = std::make_shared<LatchBook>("/jobs/ready", 5);
    for (std::size_t n = 0; n < 3; ++n) workload->add<LatchCounter>(n % 3, book, 1, 0.0);
    for (std::size_t n = 0; n < 3; ++n) workload->add<LatchWaiter>(n % 3, book, 1);
    workload->add<LatchNeighbour>(0u, book, 1);
    return workload;
}

/// No member enters before all are there. No member leaves before all members that were inside leave. In the end, all enter and
/// leave together.
WorkloadPtr double_barrier_workload(std::uint64_t seed, std::size_t members, std::size_t wanted, int rounds) {
    constexpr const char* hall_path = "/work/barrier";
    auto workload = workload_at(seed, {hall_path});
    const auto hall = std::make_shared<BarrierHall>(hall_path, wanted);
    for (std::size_t n = 0; n < members; ++n) workload->add<BarrierMember>(n % 3, hall, rounds, BarrierMember::Habits{});
    return workload;
}

/// One run of the job counts, by any client. No client runs the job if it was done before the client asked. In the end, every
/// client finds the job done.
WorkloadPtr job_workload(std::uint64_t seed, double fails) {
    auto workload = workload_at(seed, {"/jobs/nightly"});
    const auto book = std::make_shared<JobBook>("/jobs/nightly");
    for (std::size_t n = 0; n < 4; ++n) workload->add<JobWorker>(n % 3, book, fails);
    return workload;
}

/// A persistent node of each kind, and two members of a group with the same id. In the end, each node exists once, with the
/// newest data, in the living session. A node that its keeper closed is gone. No client touches another client's node.
WorkloadPtr persistent_node_workload(std::uint64_t seed) {
    const std::vector<PersistentNodeOptions> kinds{
        {},
        {.protection = Protection::protected_},
        {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_},
        {.mode = CreateMode::persistent}};
    const auto folder = [](std::size_t number) { return "/kept/" + std::to_string(number); };
    auto workload = workload_at(seed, {"/group", folder(0), folder(1), folder(2), folder(3)});
    for (std::size_t n = 0; n < kinds.size(); ++n) {
        const std::size_t kind = (n + seed) % kinds.size();
        workload->add<NodeKeeper>(n % 3, folder(kind) + "/node", kinds[kind], 2);
    }
    for (std::size_t n = 0; n < 2; ++n) workload->add<NodeKeeper>(n, "/group/id", PersistentNodeOptions{}, 2);
    return workload;
}

// ---- random runs

TEST(DoubleBarrierScenario, WithoutFaultsAllEnterAndLeaveTogether) {
    for_each_seed(seeds(50), [&](std::uint64_t seed) {
        const auto workload = double_barrier_workload(seed, 3, 3, 3);
        workload->run(600);
        workload->expect_good_end();
        EXPECT_GE(workload->achieved(), 3);
        for (std::size_t n = 0; n < 3; ++n) EXPECT_LE((*workload)[n].failed.size(), 1u) << "but for the last, which is stopped";
    });
}

TEST(OncePerPeriodScenario, OneRunCountsAndAllFindItDone) {
    int achieved = 0;
    for_each_seed(seeds(300), [&](std::uint64_t seed) {
        const auto workload = job_workload(seed, 0.3);
        workload->world.fault_rate = 0.005 * static_cast<double>(seed % 8);
        if (seed % 5 == 0) workload->world.longest_step = std::chrono::milliseconds{10 + 40 * (seed % 8)};
        workload->run(600);
        workload->expect_good_end();
        achieved += workload->achieved();
    });
    EXPECT_GE(achieved, static_cast<int>(4 * seeds(300))); // every client found it done
}

// ---- one fault, at each step of the protocol

struct InjuredRecipe {
    const char* name;
    WorkloadPtr (*make)(std::uint64_t seed);
    std::uint64_t seeds;
};

class WorkloadInjury : public testing::TestWithParam<std::tuple<InjuredRecipe, Injury<Workload>>> {
public:
    static std::string name_of(const testing::TestParamInfo<ParamType>& each) {
        return std::string(std::get<0>(each.param).name) + std::get<1>(each.param).name;
    }
};

TEST_P(WorkloadInjury, EndsWell) {
    const auto& [recipe, injury] = GetParam();
    expect_good_end_at_each_step(recipe.seeds, recipe.make, [inflict = injury.inflict](Workload& workload) {
        inflict(workload);
        workload.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(
    Recipes, WorkloadInjury,
    testing::Combine(
        testing::Values(InjuredRecipe{"Barrier", &barrier_workload, 6},
                        InjuredRecipe{"DoubleBarrier",
                                      [](std::uint64_t seed) { return double_barrier_workload(seed, 2 + seed % 2, 2, 1); }, 6},
                        InjuredRecipe{"OncePerPeriod", [](std::uint64_t seed) { return job_workload(seed, 0); }, 4},
                        InjuredRecipe{"PersistentNode", &persistent_node_workload, 4}),
        testing::ValuesIn(all_workload_injuries())),
    &WorkloadInjury::name_of);

// Without an administrator's faults: a count that an administrator removes is lost.
INSTANTIATE_TEST_SUITE_P(Counters, WorkloadInjury,
                         testing::Combine(testing::Values(InjuredRecipe{"CountDownLatch", &count_down_latch_workload, 6}),
                                          testing::ValuesIn(workload_injuries())),
                         &WorkloadInjury::name_of);

} // namespace
} // namespace docent::detail
