// SPDX-License-Identifier: Apache-2.0
#include "cli/view/broken_node.hpp"

#include "cli/nodes/json.hpp"
#include "cli/view/inspection_table.hpp"
#include "cli/view/text/age.hpp"

#include <docent/path.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>
#include <string_view>

namespace docent::cli {

bool is_participant(const std::string& node, const InspectOptions& options) {
    if (is_lock_node(node)) return true;
    const RecipeChildren names{{std::string(node_name(node))}};
    return !inspect_names(parent_path(node), names, options).participants.empty();
}

std::vector<std::string> paths_of_recipe(const std::string& node) {
    const std::string parent(parent_path(node));
    std::vector<std::string> paths;
    const auto name = node_name(parent);
    if (name == "leases" || name == "locks") paths.emplace_back(parent_path(parent));
    paths.push_back(parent);
    return paths;
}

std::string broken_node_text(const std::vector<Participant>& participants, const std::string& node,
                             std::chrono::system_clock::time_point now, Charset charset) {
    const auto found =
        std::find_if(participants.begin(), participants.end(), [&](const auto& p) { return p.node_path == node; });
    const Participant& one = *found;
    const auto index = static_cast<std::size_t>(found - participants.begin());
    const auto waiting = std::count_if(participants.begin(), participants.end(), [](const auto& p) { return !p.holds; });
    return shown(node, charset) + "\n  recipe   " + std::string(to_string(one.recipe)) + ", " +
           std::string(to_string(one.kind)) + "\n  state    " + state_text(participants, index) + "; " +
           std::to_string(waiting) + (waiting == 1 ? " waits" : " wait") + " there\n  label    " +
           shown_label(one.data, charset) + "\n  age      " + short_age(age_at(now, one.created)) + "\n  session  " +
           (one.session_id == 0 ? "none: it stays until it is removed" : session_text(one.session_id)) + "\n  token    " +
           std::to_string(one.fencing_token) + "\n";
}

} // namespace docent::cli
