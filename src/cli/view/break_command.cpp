// SPDX-License-Identifier: Apache-2.0

#include "cli/view/break_command.hpp"
#include "cli/arguments/parse.hpp"
#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/run.hpp"
#include "cli/view/inspection_table.hpp"
#include "cli/view/shown.hpp"
#include "cli/view/terminal.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
           (one.readable ? shown_label(one.data, charset) : std::string(unreadable_label)) + "\n  age      " +
           (has_stat(one) ? short_age(age_at(now, one.created)) : "?") + "\n  session  " +
           (!has_stat(one)        ? "?"
            : one.session_id == 0 ? "none: it stays until it is removed"
                                  : session_text(one.session_id)) +
           "\n  token    " + (has_stat(one) ? std::to_string(one.fencing_token) : "?") + "\n";
}

namespace {

struct Found {
    std::vector<Participant> participants; // of the node's recipe
    Participant node;
};

std::optional<Found> find_node(Client& client, const std::string& node, const InspectOptions& options) {
    for (const std::string& path : paths_of_recipe(node)) {
        error_code ec;
        auto inspection = inspect(client, path, options, ec);
        if (ec && ec != server_error::no_node) throw Error(ec, "inspect " + path);
        auto& all = inspection.participants;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Participant& one) { return one.node_path == node; });
        if (found == all.end()) continue;
        const Participant one = *found;
        std::erase_if(all, [&](const Participant& other) { return other.recipe != one.recipe; });
        return Found{std::move(all), one};
    }
    return std::nullopt;
}

/// Removes the node that was shown, and no other. A removal can require a version of the data, but not a czxid, so the czxid is
/// read right before. No client uses a protected name twice. Returns whether the node was there.
bool remove_exactly(Client& client, const Participant& shown_one) {
    while (true) {
        error_code ec;
        const auto stat = client.exists(shown_one.node_path, ec);
        const bool unreadable = ec == server_error::no_auth; // then the name alone tells which node was shown
        if (ec && !unreadable) throw Error(ec);
        if (!unreadable && (!stat || stat->czxid != shown_one.fencing_token)) return false;
        client.remove(shown_one.node_path, {.version = stat ? stat->version : -1}, ec);
        if (!ec) return true;
        if (ec == server_error::no_node) return false;
        if (ec != server_error::bad_version) throw Error(ec); // new data, for example a request to release: the same node
    }
}

enum class Answer { yes, no, gone };

/// Shows the participant and asks. Asks again if the participant got or lost the lock meanwhile.
Answer ask(Client& client, const BreakCommand& command, const InspectOptions& options, Found found) {
    const Charset charset = page_of_output().value_or(Page{.charset = Charset::ascii}).charset;
    while (true) {
        print(broken_node_text(found.participants, command.node, std::chrono::system_clock::now(), charset));
        if (command.yes) return Answer::yes;
        if (!user_agrees("Remove it?")) return Answer::no;
        auto now = find_node(client, command.node, options);
        if (!now || now->node.fencing_token != found.node.fencing_token) return Answer::gone;
        if (now->node.holds == found.node.holds) return Answer::yes;
        print_error("break " + command.node + ": " + (now->node.holds ? "it holds by now" : "it does not hold any more"));
        found = std::move(*now);
    }
}

} // namespace

int run(const BreakCommand& command) {
    const InspectOptions options{.others = command.kazoo ? kazoo_contenders() : OtherContenders{}};
    if (!is_participant(command.node, options))
        throw UsageError("break: '" + command.node + "' is not the node of a lock; docent inspect PATH shows the nodes");
    if (!command.yes && !can_ask())
        throw UsageError("break: there is no terminal to ask at; with --yes it is removed without a question");
    const std::string gone = "break " + command.node + ": it has gone meanwhile; nothing was removed";
    return with_synced_client(command.connection, "break " + command.node, [&](Client& client) {
        const auto found = find_node(client, command.node, options);
        if (!found) throw Error(server_error::no_node);
        const Answer answer = ask(client, command, options, *found);
        if (answer == Answer::no) {
            print_error("break " + command.node + ": nothing was removed");
            return exit_code::failure;
        }
        if (answer == Answer::gone || !remove_exactly(client, found->node)) {
            print_error(gone);
            return exit_code::failure;
        }
        print("removed\n");
        return exit_code::success;
    });
}

} // namespace docent::cli
