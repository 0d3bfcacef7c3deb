// SPDX-License-Identifier: Apache-2.0
#pragma once

// Worlds of recipes without locks.

#include "fake_recipes/inhabitant.hpp"

#include <memory>
#include <vector>

namespace docent::seeds {

enum class Town { none, persistent_nodes, group, double_barrier, barrier, count_down_latch };
inline constexpr std::size_t town_count = 5;

using Inhabitants = std::vector<std::unique_ptr<detail::Inhabitant>>;

/// Adds random inhabitants to a world.
Inhabitants settle(detail::FakeWorld& world, Town town, std::size_t clients);

} // namespace docent::seeds
