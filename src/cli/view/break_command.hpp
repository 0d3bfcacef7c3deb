// SPDX-License-Identifier: Apache-2.0
#pragma once

// The node that `docent break` removes, and its description. Pure.

#include "cli/view/shown.hpp"

#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace docent::cli {

/// Whether a recipe makes nodes of this name. Other nodes must not be removed by mistake.
bool is_participant(const std::string& node, const InspectOptions& options);

/// The possible paths of the node's recipe. For a semaphore's lease or gate it may be two levels up.
std::vector<std::string> paths_of_recipe(const std::string& node);

/// Describes the participant in a few lines for a terminal. `participants` must contain `node`.
std::string broken_node_text(const std::vector<Participant>& participants, const std::string& node,
                             std::chrono::system_clock::time_point now, Charset charset);

} // namespace docent::cli
