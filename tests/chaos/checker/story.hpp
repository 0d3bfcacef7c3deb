// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "checker/checks.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace docent::chaos {

/// Collects the lines of all histories that belong to a violation: events of its works, and of the nemesis around that time.
/// The lines are sorted. Their times are in milliseconds from the beginning of the violation.
std::vector<std::string> story_of(const Violation& violation, const std::filesystem::path& folder);

} // namespace docent::chaos
