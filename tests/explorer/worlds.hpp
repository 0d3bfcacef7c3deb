// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "small_world.hpp"

#include <vector>

namespace docent::explorer {

/// The worlds to go through.
std::vector<Plan> all_worlds();

} // namespace docent::explorer
