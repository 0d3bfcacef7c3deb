// SPDX-License-Identifier: Apache-2.0

// Persistent nodes and group members on a fake ensemble, with each fault at each step; tests/seeds has random faults. In the
// end, each node exists once, with the newest data, in the living session. A closed one is gone. No client touches another
// client's node.

#include "fake_recipes/node_keeper.hpp"
#include "fake_recipes/workload_injuries.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

std::string own_folder(std::size_t number) {
    return "/kept/" + std::to_string(number);
}

/// A persistent node of each kind, and two members of a group with the same id.
std::unique_ptr<Workload> workload_with_nodes(std::uint64_t seed, int turns) {
    auto workload = std::make_unique<Workload>(
        seed, 3, std::vector<std::string>{"/group", own_folder(0), own_folder(1), own_folder(2), own_folder(3)});
    const std::vector<PersistentNodeOptions> kinds{
        {},
        {.protection = Protection::protected_},
        {.mode = CreateMode::ephemeral_sequential, .protection = Protection::protected_},
        {.mode = CreateMode::persistent}};
    for (std::size_t n = 0; n < kinds.size(); ++n) {
        workload->add<NodeKeeper>(n % 3, own_folder((n + seed) % kinds.size()) + "/node", kinds[(n + seed) % kinds.size()],
                                  turns);
    }
    for (std::size_t n = 0; n < 2; ++n) workload->add<NodeKeeper>(n, "/group/id", PersistentNodeOptions{}, turns);
    return workload;
}

class PersistentNodeInjury : public testing::TestWithParam<Injury<Workload>> {};

TEST_P(PersistentNodeInjury, EndsWell) {
    const auto make = [](std::uint64_t seed) { return workload_with_nodes(seed, 2); };
    expect_good_end_at_each_step(4, make, [](Workload& workload) {
        GetParam().inflict(workload);
        workload.run(100);
    });
}

INSTANTIATE_TEST_SUITE_P(PersistentNode, PersistentNodeInjury, testing::ValuesIn(all_workload_injuries()),
                         [](const auto& each) { return std::string(each.param.name); });

} // namespace
} // namespace docent::detail
