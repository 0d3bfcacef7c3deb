// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be broken, and what is said of it. Pure.

#include "cli/view/text/shown.hpp"

#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace docent::cli {

/// Whether a recipe makes nodes of this name: whatever else there may be must not be removed by mistake.
bool is_participant(const std::string& node, const InspectOptions& options);

/// Where the recipe may be to which such a node belongs: of a lease or a gate's node two levels up, perhaps.
std::vector<std::string> paths_of_recipe(const std::string& node);

/// Who it is, in a few lines for a terminal. `participants` is the list that `node` stands in; it must be in there.
std::string broken_node_text(const std::vector<Participant>& participants, const std::string& node,
                             std::chrono::system_clock::time_point now, Charset charset);

} // namespace docent::cli
