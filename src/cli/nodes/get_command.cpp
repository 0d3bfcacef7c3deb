// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"

#include <unistd.h>

namespace docent::cli {

int run(const GetCommand& command) {
    return with_synced_client(command.connection, "get " + command.path, [&](Client& client) {
        const NodeData node = client.get(command.path);
        if (command.format == OutputFormat::json) {
            json::object answer{{"path", json_string(command.path)}};
            answer.insert(json_data(node.data));
            answer.emplace("stat", json_stat(node.stat));
            print(serialized(answer) + "\n");
        } else {
            print(node.data);
            if (::isatty(STDOUT_FILENO) != 0) print("\n"); // a pipe gets the bytes as they are
        }
        return exit_code::success;
    });
}

} // namespace docent::cli
