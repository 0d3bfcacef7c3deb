// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/stat_fields.hpp"
#include "cli/nodes/synced_read.hpp"

#include <docent/error.hpp>

namespace docent::cli {

int run(const StatCommand& command) {
    return with_reading_client(command.connection, "stat " + command.path, [&](Client& client) {
        const auto stat = read_synced<std::optional<Stat>>(
            client, [&](auto handler) { client.async_exists(command.path, std::move(handler)); });
        if (!stat) throw Error(server_error::no_node);
        std::string text;
        for (const auto& [name, value] : stat_fields(*stat)) text += std::string(name) + " " + std::to_string(value) + "\n";
        print(command.format == OutputFormat::json ? serialized(json_stat(*stat)) + "\n" : text);
        return exit_code::success;
    });
}

} // namespace docent::cli
