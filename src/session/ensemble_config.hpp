// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/connect_string.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace docent::session {

/// Where the servers of a dynamic configuration (`/zookeeper/config`) listen for clients: of each line
/// `server.1=host:2888:3888:participant;0.0.0.0:2181` the last part, with the server's own host in place of an address that
/// means all interfaces. Lines that are not understood, and servers that do not say where they listen, are left out.
std::vector<HostPort> client_addresses(std::string_view dynamic_config);

/// `host:port,[::1]:port`, as parse_connect_string() reads it.
std::string to_connect_string(const std::vector<HostPort>& servers);

} // namespace docent::session
