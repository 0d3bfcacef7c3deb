// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plan assigns each item to a member. It is the data of one node, so that all members agree. Pure.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

/// The weights of members, by id.
using Weights = std::map<std::string, std::uint32_t, std::less<>>;

struct PlannedMember {
    std::uint32_t weight = 1;
    std::vector<std::string> items = {}; // sorted
    friend bool operator==(const PlannedMember&, const PlannedMember&) = default;
};

struct Plan {
    std::uint64_t digest = 0; // of the list of items
    std::uint64_t moves = 0;  // how many times an item was given to another member, in all plans so far
    std::map<std::string, PlannedMember, std::less<>> members = {}; // also members without items
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// A digest of the set of items. Members with different items cannot share a plan.
std::uint64_t digest_of(std::vector<std::string> items);

/// The plan after `before` for these items and members.
///
/// Each member gets its fair share by weight, rounded down or up. As many items as possible stay where they are. An item that
/// moves goes to the nearest member with room (rendezvous.hpp). An item of `before` that is not in `items` is dropped.
Plan next_plan(const Plan& before, std::vector<std::string> items, const Weights& members);

/// The members of a plan.
Weights weights_of(const Plan& plan);

/// The data of the plan's node:
///
///     docent-plan 1 DIGEST MOVES
///     WEIGHT MEMBER ITEM ITEM ...
///     ...
///
/// DIGEST has 16 hexadecimal digits. Words are escaped (escape.hpp).
std::string format_plan(const Plan& plan);
/// Nothing if the data is no plan.
std::optional<Plan> parse_plan(std::string_view data);

} // namespace docent::detail
