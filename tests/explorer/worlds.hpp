// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "small_world.hpp"

#include <vector>

namespace docent::explorer {

/// The worlds to go through.
std::vector<Plan> all_worlds();

struct NightWorld {
    std::string name;
    std::size_t faults;
};
/// Of each recipe with three contenders, as much as two processes see in minutes.
std::vector<NightWorld> worlds_of_a_night();

} // namespace docent::explorer
