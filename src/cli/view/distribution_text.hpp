// SPDX-License-Identifier: Apache-2.0
#pragma once

// The share of each member of a partition, for docent inspect. Pure.

#include "cli/view/inspection_table.hpp"

#include <docent/recipes/partitioner.hpp>

#include <boost/json/object.hpp>

#include <optional>
#include <string>

namespace docent::cli {

/// A line for each member: `member a present weight 1 items 2: 0 3`, or `gone` in place of `present`. The last line has the
/// number of moves. On a terminal (with a page), the lines are aligned and cut.
std::string distribution_text(const Distribution& distribution, const std::optional<Page>& page);

/// `{"members": [{"id": ..., "weight": ..., "present": ..., "items": [...]}], "moves": ...}`
boost::json::object json_distribution(const Distribution& distribution);

} // namespace docent::cli
