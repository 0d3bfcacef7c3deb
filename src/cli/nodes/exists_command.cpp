// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"

namespace docent::cli {

int run(const ExistsCommand& command) {
    return with_synced_client(command.connection, "exists " + command.path, [&](Client& client) {
        const auto stat = client.exists(command.path);
        if (command.format == OutputFormat::json) {
            json::object answer{{"exists", stat.has_value()}};
            if (stat) answer.emplace("stat", json_stat(*stat));
            print(serialized(answer) + "\n");
        }
        return stat ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
