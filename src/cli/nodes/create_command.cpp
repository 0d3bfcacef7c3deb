// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/data_source.hpp"
#include "cli/nodes/json.hpp"

namespace docent::cli {

int run(const CreateCommand& command) {
    const std::string data = read_data(command.data);
    return with_client(client_config(command.connection), "create " + command.path, [&](Client& client) {
        const Created made =
            client.create(command.path, data, {.mode = command.mode, .parents = command.parents, .acl = command.acl});
        if (command.format == OutputFormat::json) {
            print(serialized({{"path", json_string(made.path)}, {"stat", json_stat(made.stat)}}) + "\n");
        } else {
            print(made.path + "\n");
        }
        return exit_code::success;
    });
}

} // namespace docent::cli
