// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace docent::cli {

/// Enough descriptors for a ZooKeeper in Java, and for the demo with all its clients.
inline constexpr std::size_t descriptors_of_a_server = 64;

} // namespace docent::cli
