// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <docent/recipes/lock_options.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace docent::detail {

/// The options of a lock that concern its leases.
struct LeaseTerms {
    std::optional<std::string> node_data = {}; // as it is sent; by default the client's default data
    std::chrono::milliseconds max_hold = std::chrono::milliseconds::max();
    std::chrono::milliseconds keep_for{0};
    std::uint32_t max_local_handovers = 0;
    std::string label = {}; // for tracers
};

/// Throws Error(error::corrupt_data), and Error(server_error::bad_arguments) if `max_hold` is too short or the owner is
/// invalid.
LeaseTerms lease_terms(const ClientView& view, const std::string& path, LockOptions options);

} // namespace docent::detail
