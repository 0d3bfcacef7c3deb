// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "small_world.hpp"

#include <vector>

namespace docent::explorer {

/// Returns all worlds.
std::vector<Plan> all_worlds();

/// Returns the names of the worlds of --night: of each recipe with three contenders, one world with one session and one with
/// two.
std::vector<std::string> worlds_of_a_night();

} // namespace docent::explorer
