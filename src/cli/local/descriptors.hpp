// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace docent::cli {

/// What Java takes to run a ZooKeeper, and the demo with all its clients; with some to spare.
inline constexpr std::size_t descriptors_of_a_server = 64;

} // namespace docent::cli
