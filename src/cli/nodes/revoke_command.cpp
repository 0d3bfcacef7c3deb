// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"

#include <docent/recipes/revocation.hpp>

namespace docent::cli {

int run(const RevokeCommand& command) {
    return with_client(client_config(command.connection), "revoke " + command.node, [&](Client& client) {
        revoke(client, command.node);
        return exit_code::success;
    });
}

} // namespace docent::cli
