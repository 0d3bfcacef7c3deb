// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/synced_read.hpp"

#include <algorithm>

namespace docent::cli {

int run(const LsCommand& command) {
    return with_reading_client(command.connection, "ls " + command.path, [&](Client& client) {
        auto names =
            read_synced<Children>(client, [&](auto handler) { client.async_children(command.path, std::move(handler)); }).names;
        std::sort(names.begin(), names.end());
        std::string text;
        for (const auto& name : names) text += name + "\n";
        print(command.format == OutputFormat::json ? serialized(json_array(names)) + "\n" : text);
        return exit_code::success;
    });
}

} // namespace docent::cli
