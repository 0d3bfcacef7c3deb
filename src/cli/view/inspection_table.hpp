// SPDX-License-Identifier: Apache-2.0
#pragma once

// The texts of docent inspect: holders and waiters, and the shares of a partition. Pure.

#include "cli/arguments/command.hpp"
#include "cli/view/shown.hpp"

#include <docent/recipes/inspection.hpp>
#include <docent/recipes/partitioner.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// The properties of a terminal.
struct Page {
    std::size_t columns = 80;
    Charset charset = Charset::utf8;
    bool colours = false;
};

/// `holds`, `reserved`, `waits for 3` or `waits for permits`.
std::string state_text(const std::vector<Participant>& participants, std::size_t index);

/// A warning if the participants at one path belong to several recipes, and so ignore each other; else empty.
std::string mixture_of(const std::vector<Participant>& participants);

/// A heading for each queue, and an aligned line for each participant; then the strangers, of which `locks` are locks
/// themselves. A node's path is never cut, because revoke and break need it. If a line has no room for it, it gets the next
/// line.
std::string inspection_table(const Inspection& inspection, std::string_view path, std::chrono::system_clock::time_point now,
                             const Page& page, const std::optional<std::vector<std::string>>& locks = std::nullopt);

/// The same without headings, nodes and strangers: a line of titles, and a line for each participant.
std::vector<std::string> participant_lines(const std::vector<Participant>& participants,
                                           std::chrono::system_clock::time_point now, const Page& page);

/// The output in the command's format: JSON; a table on a terminal (with a page); else a line for each participant, for
/// scripts. `locks`: the strangers that are locks themselves; nothing if they were not examined.
/// `more`: further members of the JSON object.
std::string inspection_text(const Inspection& inspection, const InspectCommand& command, const std::optional<Page>& page,
                            const std::optional<std::vector<std::string>>& locks = std::nullopt,
                            const boost::json::object& more = {});

/// A line for each member: `member a present weight 1 items 2: 0 3`, or `gone` in place of `present`. The last line has the
/// number of moves. On a terminal (with a page), the lines are aligned and cut.
std::string distribution_text(const Distribution& distribution, const std::optional<Page>& page);

/// `{"members": [{"id": ..., "weight": ..., "present": ..., "items": [...]}], "moves": ...}`
boost::json::object json_distribution(const Distribution& distribution);

// The node that `docent break` removes, and its description.

/// Whether a recipe makes nodes of this name. Other nodes must not be removed by mistake.
bool is_participant(const std::string& node, const InspectOptions& options);

/// The possible paths of the node's recipe. For a lease or a gate node of a semaphore, the path may be two levels up.
std::vector<std::string> paths_of_recipe(const std::string& node);

/// Describes the participant in a few lines for a terminal. `participants` must contain `node`.
std::string broken_node_text(const std::vector<Participant>& participants, const std::string& node,
                             std::chrono::system_clock::time_point now, Charset charset);

} // namespace docent::cli
