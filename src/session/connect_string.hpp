// SPDX-License-Identifier: Apache-2.0
#pragma once

// Servers as text: in the connect string, in an ensemble's configuration, and in the list for the C client.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace docent::session {

struct HostPort {
    std::string host; // a name or a numeric address, without brackets
    std::uint16_t port = 2181;
    friend bool operator==(const HostPort&, const HostPort&) = default;
};

struct ConnectString {
    std::vector<HostPort> servers;
    std::string chroot; // empty, or begins with a slash
    bool tls = false;   // it began with `tls://`
    friend bool operator==(const ConnectString&, const ConnectString&) = default;
};

/// Parses `host:port,[::1]:port,host/chroot`, also behind `tls://`. Sets `fault`, a text for users, if `text` is not a connect
/// string.
ConnectString parse_connect_string(std::string_view text, std::string& fault);

/// `host:port,[::1]:port`, as parse_connect_string() reads it.
std::string to_connect_string(const std::vector<HostPort>& servers);

/// The port of a server for clients: without TLS, or with TLS.
enum class ClientPort { plain, tls };

/// The client addresses in a dynamic configuration (`/zookeeper/config`). Semicolons separate the parts of each line
/// `server.1=host:2888:3888:participant;0.0.0.0:2181;2281`: the second part is the plain address, the third part (since
/// ZooKeeper 3.10) the address for TLS. The server's host replaces an address that means all interfaces. Leaves out other
/// lines, and servers without such an address.
std::vector<HostPort> client_addresses(std::string_view dynamic_config, ClientPort which = ClientPort::plain);

/// Makes the C client's server list of numeric addresses (`1.2.3.4:2181`, `::1:2181`). Repeats the first address if their
/// number is even: in an even list, the C client tries every second address only (ZOOKEEPER-2466).
std::string to_server_list(const std::vector<HostPort>& numeric);

} // namespace docent::session
