// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"

#include <docent/recipes/lock_options.hpp>

#include <optional>
#include <string>

namespace docent::detail {

/// The node data of a lock's options, as it is sent. Throws Error(error::corrupt_data).
std::optional<std::string> encoded_node_data(const ClientView& view, const std::string& path, LockOptions options);

} // namespace docent::detail
