// SPDX-License-Identifier: Apache-2.0
#include "cli/run.hpp"

#include "cli/connection.hpp"
#include "cli/exit_code.hpp"
#include "cli/messages.hpp"
#include "cli/view/terminal.hpp"
#include "cli/view/text/shown.hpp"

#include <docent/error.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/revocation.hpp>

#include <string>
#include <utility>

namespace docent::cli {
namespace {

/// To be read before the request takes its place. Who may write the node, but not read it, asks nevertheless.
std::string label_of_node(Client& client, const std::string& node) {
    error_code ec;
    NodeData read = client.get(node, ec);
    if (ec && ec != server_error::no_auth) throw Error(ec);
    return ec ? std::string() : split_owner(std::move(read.data)).data;
}

std::string asked_text(const std::string& node, const std::string& label) {
    const Charset charset = page_of_output().value_or(Page{.charset = Charset::ascii}).charset;
    const std::string what = " to give up " + shown(node, charset);
    if (was_asked_for(label)) return "asked again" + what + ", as somebody has before; it is up to the holder";
    return "asked " + (label.empty() ? "somebody without a label" : shown(label, charset)) + what + "; it is up to the holder";
}

} // namespace

int run(const RevokeCommand& command) {
    return with_client(client_config(command.connection), "revoke " + command.node, [&](Client& client) {
        const std::string label = label_of_node(client, command.node);
        revoke(client, command.node);
        print(asked_text(command.node, label) + "\n");
        return exit_code::success;
    });
}

} // namespace docent::cli
