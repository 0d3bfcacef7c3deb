// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/hold/owner.hpp"
#include "cli/messages.hpp"
#include "cli/view/shown.hpp"
#include "cli/view/terminal.hpp"

#include <docent/error.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <optional>
#include <string>
#include <utility>

namespace docent::cli {
namespace {

/// Reads the holder's node. Returns nothing if the node may not be read.
std::optional<NodeData> read_node(Client& client, const std::string& node) {
    error_code ec;
    NodeData read = client.get(node, ec);
    if (ec && ec != server_error::no_auth) throw Error(ec);
    return ec ? std::nullopt : std::optional(std::move(read));
}

/// The holder's name for messages.
std::string holder_text(const std::optional<NodeData>& read) {
    if (!read) return "a holder whose node may not be read";
    const std::string label(without_request(split_owner(read->data).data));
    const Charset charset = page_of_output().value_or(Page{.charset = Charset::ascii}).charset;
    return label.empty() ? "somebody without a label" : shown(label, charset);
}

/// Whether to write the request: the holder is known to listen, or --force was given, or the user agrees.
bool is_wanted(const RevokeCommand& command, const std::optional<NodeData>& read) {
    if (command.force || (read && is_known_to_listen(read->data))) return true;
    const std::string problem = read ? "it is not known to listen" : "not permitted to read whether it listens";
    const std::string holder = "revoke " + command.node + ": held by " + holder_text(read) + "; " + problem;
    if (can_ask()) {
        if (user_agrees("docent: " + holder + ". Ask it?")) return true;
        print_error("revoke " + command.node + ": nothing was written");
    } else {
        print_error(holder + "; nothing was written (--force asks it)");
    }
    return false;
}

/// Writes the request, and keeps the label. The data may change meanwhile, so the write requires the version that was read. If
/// the node may not be read, the request replaces its data.
void ask(Client& client, const std::string& node, std::optional<NodeData> read) {
    while (read) {
        error_code ec;
        client.set(node, with_request(read->data), {.version = read->stat.version}, ec);
        if (!ec) return;
        if (ec != server_error::bad_version) throw Error(ec);
        read = read_node(client, node);
    }
    revoke(client, node);
}

std::string asked_text(const std::string& node, const std::optional<NodeData>& read) {
    const Charset charset = page_of_output().value_or(Page{.charset = Charset::ascii}).charset;
    const std::string what = " to give up " + shown(node, charset);
    const bool again = read && was_asked_for(read->data);
    if (again) return "asked again" + what + ", as somebody has before; it is up to that process";
    return "asked " + holder_text(read) + what + "; it is up to that process";
}

} // namespace

int run(const RevokeCommand& command) {
    return with_client(client_config(command.connection), "revoke " + command.node, [&](Client& client) {
        const auto read = read_node(client, command.node);
        if (!is_wanted(command, read)) return exit_code::failure;
        ask(client, command.node, read);
        print(asked_text(command.node, read) + "\n");
        return exit_code::success;
    });
}

} // namespace docent::cli
