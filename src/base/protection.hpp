// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names by which a create is found again after its reply was lost (wire-format.md, "Protected create").

#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

inline constexpr std::string_view protection_mark = "_c_";
inline constexpr std::string_view protection_end = "-";

/// `_c_<guid>-`
std::string protection_prefix(std::string_view guid);

/// `/a/b` protected by a guid: `/a/_c_<guid>-b`.
std::string protected_path(std::string_view path, std::string_view guid);

/// All children that this guid protects, in the order of their sequence suffixes: more than one only if the create was applied
/// twice.
std::vector<std::string> find_protected(const std::vector<std::string>& children, std::string_view guid);

} // namespace docent::detail
