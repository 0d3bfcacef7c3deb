// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/view/follow.hpp"
#include "cli/view/inspection_text.hpp"
#include "cli/view/terminal.hpp"

#include <docent/recipes/inspection.hpp>

#include <chrono>
#include <utility>

namespace docent::cli {
namespace {

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
    if (command.watch) return follow(command);
    return with_synced_client(command.connection, "inspect " + command.path, [&](Client& client) {
        InspectOptions options;
        if (command.kazoo) options.others = kazoo_contenders();
        const Inspection inspection = inspect_even_nothing(client, command.path, std::move(options));
        print(inspection_text(inspection, command, page_of_output()));
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
