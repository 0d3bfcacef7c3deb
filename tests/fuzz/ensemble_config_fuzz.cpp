// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "session/connect_string.hpp"

using docent::fuzz::require;

/// A dynamic configuration that is accepted can be written as a connect string and read from it again.
DOCENT_FUZZ_TARGET(ensemble_config)(std::string_view text) {
    const auto servers = docent::session::client_addresses(text);
    if (servers.empty()) return;
    for (const auto& server : servers) require(server.port != 0);
    std::string fault;
    const auto again = docent::session::parse_connect_string(docent::session::to_connect_string(servers), fault);
    require(fault.empty() && again.servers == servers && again.chroot.empty());
}
