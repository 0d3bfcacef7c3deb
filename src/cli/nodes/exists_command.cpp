// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/synced_read.hpp"

namespace docent::cli {

int run(const ExistsCommand& command) {
    return with_reading_client(command.connection, "exists " + command.path, [&](Client& client) {
        const auto stat = read_synced<std::optional<Stat>>(
            client, [&](auto handler) { client.async_exists(command.path, std::move(handler)); });
        if (command.format == OutputFormat::json) {
            json::object answer{{"exists", stat.has_value()}};
            if (stat) answer.emplace("stat", json_stat(*stat));
            print(serialized(answer) + "\n");
        }
        return stat ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
