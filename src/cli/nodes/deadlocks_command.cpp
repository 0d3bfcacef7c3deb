// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/wait_graph.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <algorithm>
#include <set>
#include <utility>

namespace docent::cli {
namespace {

using Circles = std::vector<std::vector<Wait>>;

std::vector<std::string> children_if_any(Client& client, const std::string& path) {
    error_code ec;
    auto children = client.children(path, ec);
    if (ec && ec != server_error::no_node) throw Error(ec, "list " + path); // no node: it has just gone
    return ec ? std::vector<std::string>{} : std::move(children.names);
}

/// The paths at and below `path` at which somebody takes part in a recipe.
std::vector<std::string> paths_of_locks(Client& client, const std::string& path) {
    std::vector<std::string> locks;
    std::vector<std::string> open{path};
    while (!open.empty()) {
        const std::string at = std::move(open.back());
        open.pop_back();
        const auto names = children_if_any(client, at);
        const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
        const bool is_semaphore = has("locks") && has("leases");
        bool is_lock = is_semaphore;
        for (const std::string& name : names) {
            const std::string child = join_path(at, name);
            if (is_lock_node(child)) is_lock = true;
            else if (child != "/zookeeper" && !(is_semaphore && (name == "locks" || name == "leases"))) open.push_back(child);
        }
        if (is_lock) locks.push_back(at);
    }
    std::sort(locks.begin(), locks.end());
    return locks;
}

std::vector<LockState> look_at(Client& client, const std::vector<std::string>& paths) {
    std::vector<LockState> locks;
    for (const std::string& path : paths) {
        error_code ec;
        auto inspection = inspect(client, path, ec);
        if (ec && ec != server_error::no_node) throw Error(ec, "inspect " + path);
        std::erase_if(inspection.participants, [](const Participant& one) { return one.kind == ParticipantKind::latch; });
        if (!ec) locks.push_back({path, std::move(inspection.participants)});
    }
    return locks;
}

std::string who(const Participant& one) {
    return as_word(one.data) + " session " + session_text(one.session_id);
}

std::string as_text(const Circles& circles) {
    std::string text;
    for (const auto& circle : circles) {
        text += "deadlock of " + std::to_string(circle.size()) + " sessions\n";
        for (const Wait& wait : circle) {
            text += "  " + who(wait.waiter) + " waits at " + as_word(wait.lock) + " for " + who(wait.ahead) + " which " +
                    (wait.ahead.holds ? "holds " : "waits ") + std::string(node_name(wait.ahead.node_path)) + "\n";
        }
    }
    return text;
}

std::string as_json(const Circles& circles) {
    json::array all;
    for (const auto& circle : circles) {
        json::array waits;
        for (const Wait& wait : circle) {
            waits.push_back(json::object{{"lock", json_string(wait.lock)},
                                         {"waiter", json_participant(wait.waiter)},
                                         {"ahead", json_participant(wait.ahead)}});
        }
        all.push_back(std::move(waits));
    }
    return serialized(json::object{{"deadlocks", std::move(all)}}) + "\n";
}

/// In quotes, as Graphviz reads them.
std::string dot_text(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string as_dot(const Circles& circles) {
    std::string text = "digraph deadlocks {\n";
    std::set<std::int64_t> drawn;
    for (const auto& circle : circles) {
        for (const Wait& wait : circle) {
            if (drawn.insert(wait.waiter.session_id).second) {
                text += "  \"" + session_text(wait.waiter.session_id) + "\" [label=" + dot_text(who(wait.waiter)) + "]\n";
            }
            text += "  \"" + session_text(wait.waiter.session_id) + "\" -> \"" + session_text(wait.ahead.session_id) +
                    "\" [label=" + dot_text(as_word(wait.lock)) + "]\n";
        }
    }
    return text + "}\n";
}

std::string shown(const Circles& circles, DeadlocksCommand::Format format) {
    switch (format) {
    case DeadlocksCommand::Format::json: return as_json(circles);
    case DeadlocksCommand::Format::dot: return as_dot(circles);
    case DeadlocksCommand::Format::text: break;
    }
    return as_text(circles);
}

} // namespace

int run(const DeadlocksCommand& command) {
    return with_synced_client(command.connection, "deadlocks " + command.path, [&](Client& client) {
        const auto paths = paths_of_locks(client, command.path);
        const auto first = look_at(client, paths);
        Circles found = circles(stuck_waits(first));
        if (!found.empty()) found = circles(stuck_waits(in_both(first, look_at(client, paths))));
        print(shown(found, command.format));
        return found.empty() ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
