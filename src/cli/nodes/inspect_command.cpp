// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>

#include <array>
#include <cstdio>

namespace docent::cli {
namespace {

std::string hex(std::int64_t number) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
    return text.data();
}

json::object as_json(const Participant& one) {
    json::object out{{"recipe", to_string(one.recipe)},
                     {"kind", to_string(one.kind)},
                     {"position", one.position},
                     {"holds", one.holds},
                     {"path", json_string(one.node_path)}};
    out.insert(json_data(one.data));
    out.emplace("session", hex(one.session_id));
    out.emplace("fencingToken", one.fencing_token);
    return out;
}

std::string as_json(const Inspection& inspection) {
    json::array participants;
    for (const Participant& one : inspection.participants) participants.push_back(as_json(one));
    return serialized({{"participants", participants}, {"strangers", json_array(inspection.strangers)}}) + "\n";
}

/// One line; whatever bytes a text has, it cannot begin another.
std::string as_word(const std::string& text) {
    const std::string quoted = serialized(json_string(text));
    const bool plain = !text.empty() && quoted.size() == text.size() + 2 && text.find(' ') == std::string::npos;
    return plain ? text : quoted;
}

std::string as_text(const Inspection& inspection) {
    std::string text;
    for (const Participant& one : inspection.participants) {
        text += std::string(to_string(one.recipe)) + " " + std::to_string(one.position) + " " +
                (one.holds ? "holds " : "waits ") + std::string(to_string(one.kind)) + " " + as_word(one.data) + " session " +
                hex(one.session_id) + " token " + std::to_string(one.fencing_token) + " " +
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
            print(serialized({{"leader", leader != nullptr ? json::value(as_json(*leader)) : json::value(nullptr)}}) + "\n");
        } else if (leader != nullptr) {
            print(as_word(leader->data) + "\n");
        }
        return leader != nullptr ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
