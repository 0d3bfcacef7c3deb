// SPDX-License-Identifier: Apache-2.0

// Partitions on a fake ensemble, with all kinds of faults. DOCENT_SCENARIO_SEEDS sets the number of worlds.

#include "../scenario_fixture.hpp"
#include "fake_recipes/fake_partition_member.hpp"
#include "seeds.hpp"

#include <docent/path.hpp>
#include <docent/recipes/partitioner.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;

struct Partition final : ScenarioFixture<FakePartitionMember> {
    Partition(std::uint64_t seed, std::size_t items, std::size_t members, FakePartitionMember::Manners manners)
        : ScenarioFixture(seed, static_cast<int>(members), item_path(partition_path, "0")), names(numbered_items(items)) {
        for (std::size_t item = 1; item < items; ++item) world.add_queue(item_path(partition_path, names[item]));
        while (all.size() < members) all.emplace_back(world, all.size(), names, tokens, manners);
    }
    ~Partition() override {
        for (auto& one : all) one.leave_for_ever();
    }
    void step() override {
        world.step();
        for (auto& one : all) one.look();
    }
    bool run_until(const std::function<bool()>& done, int limit = 300'000) {
        for (int n = 0; n < limit && !done(); ++n) step();
        return done();
    }
    std::optional<Plan> plan() const {
        const TreeNode* node = world_truth().find(plan_path(partition_path));
        return node ? parse_plan(node->data) : std::nullopt;
    }
    const NodeTree& world_truth() const { return const_cast<FakeWorld&>(world).surroundings().ensemble.truth(); }
    std::chrono::nanoseconds now() { return world.surroundings().now; }
    /// All members count, and each works on the items that the plan gives it.
    bool settled() const {
        const auto now = plan();
        if (!now || now->members.size() != all.size()) return false;
        return std::all_of(all.begin(), all.end(), [&](const FakePartitionMember& one) {
            const auto* member = one.member();
            if (!member) return false;
            const auto owned = member->core->owned();
            const auto& items = now->members.at(member->core->id()).items;
            return owned.size() == items.size() &&
                   std::all_of(items.begin(), items.end(), [&](const auto& item) { return owned.contains(item); });
        });
    }
    /// From now on, there are no faults. Returns the time until each item has an owner.
    std::chrono::nanoseconds heal() {
        world.fault_rate = 0;
        world.longest_step = 3ms;
        for (const auto& path : world.nodes()) {
            if (world_truth().find(path)->acl) world.surroundings().ensemble.set_acl(path, open_acl());
        }
        for (auto& one : all) one.calm_down();
        const auto healed = now();
        EXPECT_TRUE(run_until([&] {
            std::size_t owned = 0;
            for (auto& one : all) owned += one.member() ? one.member()->core->owned().size() : 0;
            return owned == names.size();
        })) << "an item has no owner\n"
            << text();
        return now() - healed;
    }
    /// The plan, the queues of the items, and what each member does.
    std::string text() {
        const TreeNode* node = world_truth().find(plan_path(partition_path));
        std::string text = node ? node->data : "no plan\n";
        for (const auto& name : world_truth().children(members_path(partition_path))) text += name + '\n';
        for (const auto& path : world.nodes()) text += path + ": " + world_truth().find(path)->data + '\n';
        for (auto& one : all) {
            text += one.name + (one.member() ? " works on" : " is away");
            if (one.member()) {
                for (const auto& [item, term] : one.member()->terms()) text += " " + item;
                text += ", owns " + std::to_string(one.member()->core->owned().size());
            }
            text += '\n';
        }
        return text;
    }
    void expect_good_end() {
        EXPECT_TRUE(run_until([&] { return settled(); })) << "the partition does not settle\n" << text();
        for (auto& one : all) one.leave_for_ever();
        ScenarioFixture::expect_good_end();
        // If the connection broke during close(), the node of the member is removed after the next connect.
        EXPECT_TRUE(run_until([&] { return world_truth().children(members_path(partition_path)).empty(); }))
            << "the node of a member is left\n"
            << text();
    }

    const std::vector<std::string> names;
    ItemTokens tokens;
};

TEST(PartitionScenario, NoItemHasTwoOwnersAndEachHasOneSoonAfterAllFaults) {
    int begun = 0;
    std::chrono::nanoseconds longest{0};
    for_each_seed(seeds(repetitions<std::uint64_t>(2000)), [&](std::uint64_t seed) {
        Partition partition(seed, 2 + seed % 7, 2 + seed % 3, {.dawdles = 0.1, .returns = 0.1, .leaves = 0.3});
        partition.world.fault_rate = 0.002 * static_cast<double>(seed % 8);
        if (seed % 4 == 0) partition.world.longest_step = 10ms + 40ms * (seed % 8);
        partition.run(1500);
        const auto took = partition.heal();
        // A process may stand still for 6 s, and an election may take as long, when the faults end.
        EXPECT_LE(took, FakeEnsemble::session_timeout + 5s + 6s);
        longest = std::max(longest, took);
        partition.expect_good_end();
        for (const auto& one : partition.all) begun += one.achieved;
    });
    EXPECT_GT(begun, static_cast<int>(seeds(repetitions<std::uint64_t>(2000))) * 4); // otherwise this proves nothing
    std::cout << begun << " times begun, all owned at most " << std::chrono::duration<double>(longest).count()
              << " s after healing\n";
}

/// The fewest moves after which the shares are fair, when a member comes or goes.
std::size_t fewest_moves(std::size_t items, std::size_t before, std::size_t after) {
    const std::size_t most = std::max(before, after);
    return after > before ? items / most : (items + most - 1) / most;
}

TEST(PartitionScenario, JoinsLeavesAndFlapsMoveAsFewItemsAsPossible) {
    std::uint64_t moved = 0;
    std::uint64_t needed = 0;
    for_each_seed(seeds(50), [&](std::uint64_t seed) {
        Partition partition(seed, 8 + seed % 9, 4, {});
        auto& random = partition.world.surroundings();
        ASSERT_TRUE(partition.run_until([&] { return partition.settled(); }));
        const auto moves = [&] { return partition.plan()->moves; };
        const auto begun = [&] {
            int sum = 0;
            for (const auto& one : partition.all) sum += one.achieved;
            return sum;
        };
        // A flap: the session of one member ends, and the member rejoins at once.
        const auto quiet = moves();
        const auto victim = random.below(4);
        partition.world.inflict(FakeWorld::Fault::end_session, victim);
        partition.run_until([&] { return !partition.settled(); });
        ASSERT_TRUE(partition.run_until([&] { return partition.settled(); }));
        EXPECT_EQ(moves(), quiet) << "a flap";
        // A member dies, and rejoins later.
        const auto has = partition.plan()->members.at("m" + std::to_string(victim)).items.size();
        auto& client = partition.world.client(victim);
        client.freeze(60s);
        ASSERT_TRUE(partition.run_until([&] { return partition.plan()->members.size() == 3; }));
        EXPECT_EQ(moves() - quiet, has) << "a leave";
        moved += moves() - quiet;
        needed += has;
        const auto left = moves();
        client.wake();
        ASSERT_TRUE(partition.run_until([&] { return partition.settled(); }));
        const auto fewest = fewest_moves(partition.names.size(), 3, 4);
        EXPECT_EQ(moves() - left, fewest) << "a join";
        moved += moves() - left;
        needed += fewest;
        EXPECT_GT(begun(), 0);
        partition.expect_good_end();
    });
    EXPECT_LE(static_cast<double>(moved), 1.2 * static_cast<double>(needed));
    std::cout << moved << " moves, " << needed << " needed\n";
}

} // namespace
} // namespace docent::detail
