// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session/connect_string.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace docent::session {

/// The client addresses in a dynamic configuration (`/zookeeper/config`): the last part of each line
/// `server.1=host:2888:3888:participant;0.0.0.0:2181`. The server's host replaces an address that means all interfaces.
/// Leaves out other lines, and servers without a client address.
std::vector<HostPort> client_addresses(std::string_view dynamic_config);

/// `host:port,[::1]:port`, as parse_connect_string() reads it.
std::string to_connect_string(const std::vector<HostPort>& servers);

} // namespace docent::session
