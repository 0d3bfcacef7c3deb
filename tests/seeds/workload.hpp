// SPDX-License-Identifier: Apache-2.0
#pragma once

// Worlds of recipes without locks.

#include "fake_recipes/actor.hpp"

#include <memory>
#include <vector>

namespace docent::seeds {

enum class Workload { none, persistent_nodes, group, double_barrier, barrier, count_down_latch };
inline constexpr std::size_t workload_count = 5;

using Actors = std::vector<std::unique_ptr<detail::Actor>>;

/// Adds random actors to a world.
Actors settle(detail::FakeWorld& world, Workload workload, std::size_t clients);

} // namespace docent::seeds
