// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"

namespace docent::cli {

int run(const DeleteCommand& command) {
    return with_client(client_config(command.connection), "delete " + command.path, [&](Client& client) {
        client.remove(command.path, {.version = command.version});
        return exit_code::success;
    });
}

} // namespace docent::cli
