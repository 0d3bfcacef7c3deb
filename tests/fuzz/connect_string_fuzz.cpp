// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "session/connect_string.hpp"

using docent::fuzz::require;

/// An accepted connect string names at least one server, and each server has a port.
DOCENT_FUZZ_TARGET(connect_string)(std::string_view text) {
    std::string fault;
    const auto parsed = docent::session::parse_connect_string(text, fault);
    if (!fault.empty()) return;
    require(!parsed.servers.empty());
    for (const auto& server : parsed.servers) require(!server.host.empty() && server.port != 0);
}
