// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/nodes/json.hpp"
#include "cli/messages.hpp"

namespace docent::cli {

int run(const ExistsCommand& command) {
    return with_synced_client(command.connection, "exists " + command.path, [&](Client& client) {
        const auto stat = client.exists(command.path);
        if (command.format == OutputFormat::json) {
            print(stat ? "{\"exists\":true,\"stat\":" + json_stat(*stat) + "}\n" : "{\"exists\":false}\n");
        }
        return stat ? exit_code::success : exit_code::failure;
    });
}

} // namespace docent::cli
