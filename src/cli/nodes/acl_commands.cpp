// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/arguments/values/acl_text.hpp"
#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/nodes/json.hpp"
#include "cli/nodes/synced_read.hpp"

namespace docent::cli {
namespace {

json::value acl_as_json(const Acl& acl) {
    json::array entries;
    for (const AclEntry& entry : acl) entries.push_back(json_string(to_text(entry)));
    return entries;
}

} // namespace

int run(const GetAclCommand& command) {
    return with_reading_client(command.connection, "get-acl " + command.path, [&](Client& client) {
        const auto node =
            read_synced<NodeAcl>(client, [&](auto handler) { client.async_get_acl(command.path, std::move(handler)); });
        if (command.format == OutputFormat::json) {
            print(serialized({{"acl", acl_as_json(node.acl)}, {"stat", json_stat(node.stat)}}) + "\n");
            return exit_code::success;
        }
        std::string text;
        for (const AclEntry& entry : node.acl) text += to_text(entry) + "\n";
        print(text);
        return exit_code::success;
    });
}

int run(const SetAclCommand& command) {
    return with_client(client_config(command.connection), "set-acl " + command.path, [&](Client& client) {
        const Stat stat = client.set_acl(command.path, command.acl, command.version);
        if (command.format == OutputFormat::json) print(serialized(json_stat(stat)) + "\n");
        return exit_code::success;
    });
}

} // namespace docent::cli
