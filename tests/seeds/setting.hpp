// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fake_recipes/actor.hpp"
#include "queue/contender.hpp"
#include "scenario/lock_request.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace docent::seeds {

/// Recipes without locks.
enum class Workload { none, persistent_nodes, group, double_barrier, barrier, count_down_latch };
inline constexpr std::size_t workload_count = 5;

/// The recipe of a world and its options.
struct Setting {
    std::string recipe;
    std::vector<std::pair<std::string, detail::QueueNames>> queues;
    std::map<std::string, std::size_t> limits; // of permits, by the parent of their nodes
    std::vector<detail::LockRequest> requests; // each participant has one or more of them
    std::size_t requests_each = 1;
    double commits = 0.2;          // chance of a guarded transaction
    detail::LeaseTerms terms = {}; // of all leases
    Heartbeats heartbeats = Heartbeats::frequent;
    Workload workload = Workload::none; // otherwise the world has no locks
};

inline constexpr std::size_t lock_count = 7; // recipes with locks
inline constexpr std::size_t recipe_count = lock_count + workload_count;

/// Recipes take turns, so that each has its share of any range of seeds. One seed in eight is a world without locks.
std::size_t recipe_of(std::uint64_t seed);
std::string recipe_name(std::size_t recipe);
Setting setting_of(std::uint64_t seed);

using Actors = std::vector<std::unique_ptr<detail::Actor>>;

/// Adds random actors to a world.
Actors settle(detail::FakeWorld& world, Workload workload, std::size_t clients);

} // namespace docent::seeds
