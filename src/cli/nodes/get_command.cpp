// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/synced_read.hpp"

#include <unistd.h>

namespace docent::cli {

int run(const GetCommand& command) {
    return with_reading_client(command.connection, "get " + command.path, [&](Client& client) {
        const auto node =
            read_synced<NodeData>(client, [&](auto handler) { client.async_get(command.path, std::move(handler)); });
        if (command.format == OutputFormat::json) {
            json::object answer{{"path", json_string(command.path)}};
            answer.insert(json_data(node.data));
            answer.emplace("stat", json_stat(node.stat));
            print(serialized(answer) + "\n");
        } else {
            print(node.data);
            if (::isatty(STDOUT_FILENO) != 0) print("\n"); // a pipe gets the bytes unchanged
        }
        return exit_code::success;
    });
}

} // namespace docent::cli
