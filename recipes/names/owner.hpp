// SPDX-License-Identifier: Apache-2.0
#pragma once

// The owner of a lock: a line after the data of its node. split_owner() in docent/recipes/inspection.hpp reads it.

#include <string>
#include <string_view>

namespace docent::detail {

/// Whether the text is a valid owner: 1 to 200 printable ASCII characters without a space.
bool is_owner(std::string_view text) noexcept;

/// `data` with the owner after it.
std::string with_owner(std::string data, std::string_view owner);

} // namespace docent::detail
