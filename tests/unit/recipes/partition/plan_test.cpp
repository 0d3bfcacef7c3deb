// SPDX-License-Identifier: Apache-2.0
#include "partition/plan.hpp"
#include "partition/rendezvous.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace docent::detail {
namespace {

std::vector<std::string> numbered(std::size_t count) {
    std::vector<std::string> items;
    for (std::size_t item = 0; item < count; ++item) items.push_back(std::to_string(item));
    return items;
}

Weights members(std::size_t count, std::uint32_t weight = 1) {
    Weights all;
    for (std::size_t member = 0; member < count; ++member) all.emplace("m" + std::to_string(member), weight);
    return all;
}

std::map<std::string, std::string> owners_of(const Plan& plan) {
    std::map<std::string, std::string> owners;
    for (const auto& [id, member] : plan.members) {
        for (const auto& item : member.items) EXPECT_TRUE(owners.emplace(item, id).second) << item << " has two owners";
    }
    return owners;
}

std::size_t moves_between(const Plan& before, const Plan& after) {
    const auto old = owners_of(before);
    std::size_t moves = 0;
    for (const auto& [item, owner] : owners_of(after)) {
        const auto was = old.find(item);
        moves += was != old.end() && was->second != owner ? 1 : 0;
    }
    return moves;
}

struct Bounds {
    std::size_t least;
    std::size_t most;
};

Bounds fair_share(std::size_t items, const Weights& all, const std::string& id) {
    std::uint64_t sum = 0;
    for (const auto& [each, weight] : all) sum += weight;
    const std::uint64_t product = items * std::uint64_t{all.find(id)->second};
    return {static_cast<std::size_t>(product / sum), static_cast<std::size_t>((product + sum - 1) / sum)};
}

/// The fewest moves after which all members have a fair share: the items that members must give up, or those that members lack,
/// whichever are more.
std::size_t fewest_moves(const Plan& before, const Weights& all, std::size_t items) {
    std::size_t given = 0;
    std::size_t lack = 0;
    for (const auto& [id, member] : before.members) {
        if (!all.contains(id)) given += member.items.size();
    }
    for (const auto& [id, weight] : all) {
        const auto was = before.members.find(id);
        const std::size_t had = was == before.members.end() ? 0 : was->second.items.size();
        const auto [least, most] = fair_share(items, all, id);
        if (had > most) given += had - most;
        if (had < least) lack += least - had;
    }
    return std::max(given, lack);
}

void expect_fair(const Plan& plan, std::size_t items, const Weights& all) {
    EXPECT_EQ(owners_of(plan).size(), items);
    EXPECT_EQ(weights_of(plan), all);
    for (const auto& [id, member] : plan.members) {
        const auto [least, most] = fair_share(items, all, id);
        EXPECT_GE(member.items.size(), least) << id;
        EXPECT_LE(member.items.size(), most) << id;
    }
}

TEST(Plan, TheFirstGivesEachMemberAFairShare) {
    for (const std::size_t items : {1u, 7u, 8u, 64u, 1000u}) {
        for (const std::size_t count : {1u, 2u, 3u, 4u, 7u, 20u}) {
            const auto plan = next_plan({}, numbered(items), members(count));
            expect_fair(plan, items, members(count));
            EXPECT_EQ(plan.moves, 0u);
        }
    }
}

TEST(Plan, SharesAreInProportionToTheWeights) {
    const Weights all{{"large", 4}, {"middle", 2}, {"small", 1}};
    const auto plan = next_plan({}, numbered(70), all);
    EXPECT_EQ(plan.members.at("large").items.size(), 40u);
    EXPECT_EQ(plan.members.at("middle").items.size(), 20u);
    EXPECT_EQ(plan.members.at("small").items.size(), 10u);
}

TEST(Plan, MostItemsAreAtTheirFirstChoice) {
    const auto plan = next_plan({}, numbered(640), members(4));
    std::size_t first = 0;
    for (const auto& [item, owner] : owners_of(plan)) {
        std::string nearest;
        Distance least;
        for (const auto& [id, weight] : members(4)) {
            const auto distance = distance_between(item, id, weight);
            if (nearest.empty() || distance < least) nearest = id, least = distance;
        }
        first += nearest == owner ? 1 : 0;
    }
    EXPECT_GT(first, 540u);
}

TEST(Plan, IsTheSameForEveryOrderOfTheItems) {
    auto items = numbered(64);
    const auto plan = next_plan({}, items, members(5));
    std::reverse(items.begin(), items.end());
    EXPECT_EQ(next_plan({}, items, members(5)), plan);
    EXPECT_EQ(plan.members.at("m0").items,
              (std::vector<std::string>{"0", "11", "12", "2", "29", "39", "47", "50", "51", "59", "62", "7", "8"}))
        << "as in every process";
}

TEST(Plan, AJoinTakesOnlyWhatTheNewMemberNeeds) {
    const auto before = next_plan({}, numbered(64), members(4));
    const auto after = next_plan(before, numbered(64), members(5));
    EXPECT_EQ(moves_between(before, after), 12u) << "four times from 16 to 13";
    EXPECT_EQ(after.moves, 12u);
    for (const auto& [item, owner] : owners_of(after)) {
        if (owner != owners_of(before).at(item)) {
            EXPECT_EQ(owner, "m4");
        }
    }
}

TEST(Plan, ALeaveMovesTheItemsOfThatMemberOnly) {
    const auto before = next_plan({}, numbered(64), members(4));
    auto left = members(4);
    left.erase("m2");
    const auto after = next_plan(before, numbered(64), left);
    EXPECT_EQ(moves_between(before, after), 16u);
}

TEST(Plan, NoChangeMovesNothing) {
    const auto plan = next_plan({}, numbered(64), members(5));
    EXPECT_EQ(next_plan(plan, numbered(64), members(5)), plan);
}

TEST(Plan, ANewMemberIsNotLeftWithoutItemsAlthoughTheOthersAreWithinTheirBounds) {
    const auto before = next_plan({}, numbered(8), members(4));
    const auto after = next_plan(before, numbered(8), members(7));
    expect_fair(after, 8, members(7));
    EXPECT_EQ(moves_between(before, after), 3u);
}

TEST(Plan, AnyChangesMakeTheFewestMovesAndStayFair) {
    std::mt19937_64 random(1);
    for (int world = 0; world < 200; ++world) {
        const std::size_t items = 1 + random() % 100;
        Weights all;
        Plan plan = next_plan({}, numbered(items), members(1));
        all = members(1);
        for (int change = 0; change < 30; ++change) {
            const auto id = "m" + std::to_string(random() % 12);
            const bool leaves = all.contains(id) && all.size() > 1;
            if (leaves) all.erase(id);
            else all[id] = static_cast<std::uint32_t>(1 + random() % 4);
            const auto next = next_plan(plan, numbered(items), all);
            expect_fair(next, items, all);
            EXPECT_EQ(moves_between(plan, next), fewest_moves(plan, all, items));
            EXPECT_EQ(next.moves - plan.moves, moves_between(plan, next));
            plan = next;
        }
        if (HasFailure()) FAIL() << "world " << world;
    }
}

TEST(Plan, ItemsThatAreNotListedAnyMoreAreDropped) {
    const auto before = next_plan({}, numbered(8), members(2));
    const auto after = next_plan(before, numbered(6), members(2));
    expect_fair(after, 6, members(2));
    EXPECT_NE(after.digest, before.digest);
}

TEST(Plan, WithoutMembersNobodyHasAnItem) {
    const auto plan = next_plan(next_plan({}, numbered(8), members(2)), numbered(8), {});
    EXPECT_TRUE(plan.members.empty());
}

TEST(PlanText, IsReadAsItWasWritten) {
    Plan plan = next_plan({}, {"a b", "x/y", ".", "plain"}, {{"worker 1", 3}, {"w%2", 1}, {"idle", 1}, {"more", 9}});
    plan.moves = 17;
    EXPECT_EQ(parse_plan(format_plan(plan)), plan);
    const Plan small{.digest = 0xab, .moves = 3, .members = {{"a", {2, {"0", "1"}}}, {"b", {1, {}}}}};
    EXPECT_EQ(format_plan(small), "docent-plan 1 00000000000000ab 3\n2 a 0 1\n1 b\n");
}

TEST(PlanText, OtherDataIsNoPlan) {
    const std::string head = "docent-plan 1 00000000000000ab 3\n";
    EXPECT_TRUE(parse_plan(head));
    for (const std::string& data : {std::string(), std::string("x"), std::string("docent-plan 2 00000000000000ab 3\n"),
                                    std::string("docent-plan 1 ab 3\n"), std::string("docent-plan 1 00000000000000ab -3\n"),
                                    head + "0 a\n", head + "1000001 a\n", head + "1\n", head + "1 \n", head + "1 a  b\n",
                                    head + "1 a %zz\n", head + "1 a\n1 a\n", head + "\n"}) {
        EXPECT_FALSE(parse_plan(data)) << data;
    }
}

} // namespace
} // namespace docent::detail
