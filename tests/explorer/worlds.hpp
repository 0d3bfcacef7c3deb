// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "small_world.hpp"

#include <vector>

namespace docent::explorer {

/// The worlds to go through.
std::vector<Plan> all_worlds();

/// Of each recipe with three contenders, on one session and on two: their names.
std::vector<std::string> worlds_of_a_night();

} // namespace docent::explorer
