// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/data_source.hpp"
#include "cli/nodes/json.hpp"

namespace docent::cli {

int run(const SetCommand& command) {
    const std::string data = read_data(command.data);
    return with_client(client_config(command.connection), "set " + command.path, [&](Client& client) {
        const Stat stat = client.set(command.path, data, {.version = command.version});
        if (command.format == OutputFormat::json) print(serialized(json_stat(stat)) + "\n");
        return exit_code::success;
    });
}

} // namespace docent::cli
