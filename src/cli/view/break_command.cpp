// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/parse.hpp"
#include "cli/connection.hpp"
#include "cli/messages.hpp"
#include "cli/run.hpp"
#include "cli/view/inspection_table.hpp"
#include "cli/view/terminal.hpp"

#include <docent/recipes/inspection.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace docent::cli {
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

/// Removes the node that was shown, and no other. A removal can require a version of the data, but not a czxid. So the czxid is
/// read right before the removal. Another node cannot get a protected name in between, because no client uses such a name
/// twice. Returns whether the node was there.
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
