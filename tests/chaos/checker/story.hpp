// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace docent::chaos {

/// The lines of all histories that belong to a violation, in the order of their times: what its works and the nemesis did
/// around it. Times are in milliseconds from its beginning.
std::vector<std::string> story_of(const Violation& violation, const std::filesystem::path& folder);

} // namespace docent::chaos
