// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// "; did you mean lock?", of the names the one that is nearest to what was typed; nothing if none is near. Near is one slip,
/// or two in six or more characters: one left out, put in, or wrong, or two that have changed places (the distance of
/// Damerau and Levenshtein, in which no character is changed twice).
std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& names);

} // namespace docent::cli
