// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who takes a lock, as a line behind the data of its node. Read by split_owner() of docent/recipes/inspection.hpp.

#include <string>
#include <string_view>

namespace docent::detail {

/// Whether this can be an owner: 1 to 200 printable ASCII characters without a space.
bool is_owner(std::string_view text) noexcept;

/// `data`, and the owner behind them.
std::string with_owner(std::string data, std::string_view owner);

} // namespace docent::detail
