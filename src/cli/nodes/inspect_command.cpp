// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>

namespace docent::cli {
namespace {

std::string as_json(const Inspection& inspection) {
    json::array participants;
    for (const Participant& one : inspection.participants) participants.push_back(json_participant(one));
    return serialized({{"participants", participants}, {"strangers", json_array(inspection.strangers)}}) + "\n";
}

std::string as_text(const Inspection& inspection) {
    std::string text;
    for (const Participant& one : inspection.participants) {
        text += std::string(to_string(one.recipe)) + " " + std::to_string(one.position) + " " +
                (one.holds ? "holds " : "waits ") + std::string(to_string(one.kind)) + " " + as_word(one.data) + " session " +
                session_text(one.session_id) + " token " + std::to_string(one.fencing_token) + " " +
                std::string(node_name(one.node_path)) + "\n";
    }
    for (const std::string& name : inspection.strangers) text += "stranger " + as_word(name) + "\n";
    return text;
}

Inspection inspect_even_nothing(Client& client, const std::string& path, InspectOptions options = {}) {
    error_code ec;
    Inspection inspection = inspect(client, path, std::move(options), ec);
    if (ec && ec != server_error::no_node) throw Error(ec); // no node: nobody is there
    return inspection;
}

/// A LeaderSelector's nodes are a mutex's.
const Participant* leader_of(const Inspection& inspection) {
    for (const auto recipe : {RecipeKind::leader_latch, RecipeKind::mutex}) {
        for (const Participant& one : inspection.participants) {
            if (one.recipe == recipe && one.holds) return &one;
        }
    }
    return nullptr;
}

} // namespace

int run(const InspectCommand& command) {
    return with_synced_client(command.connection, "inspect " + command.path, [&](Client& client) {
        InspectOptions options;
        if (command.kazoo) options.others = kazoo_contenders();
        const Inspection inspection = inspect_even_nothing(client, command.path, std::move(options));
        print(command.format == OutputFormat::json ? as_json(inspection) : as_text(inspection));
        return exit_code::success;
    });
}

int run(const LeaderCommand& command) {
    return with_synced_client(command.connection, "leader " + command.path, [&](Client& client) {
        const Inspection inspection = inspect_even_nothing(client, command.path);
        const Participant* leader = leader_of(inspection);
        if (command.format == OutputFormat::json) {
            print(serialized({{"leader", leader != nullptr ? json::value(json_participant(*leader)) : json::value(nullptr)}}) +
                  "\n");
        } else if (leader != nullptr) {
            print(as_word(leader->data) + "\n");
        }
        return leader != nullptr ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
