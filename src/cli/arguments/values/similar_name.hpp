// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// "; did you mean lock?" with the name nearest to `typed`; empty if no name is near. Near means one slip, or two slips in six
/// or more characters. A slip is a missing, surplus or wrong character, or two characters in the wrong order (optimal string
/// alignment, a variant of the Damerau-Levenshtein distance).
std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& names);

} // namespace docent::cli
