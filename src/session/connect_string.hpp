// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    friend bool operator==(const ConnectString&, const ConnectString&) = default;
};

/// Parses `host:port,[::1]:port,host/chroot`. Sets `fault`, a text for users, if `text` is not a connect string.
ConnectString parse_connect_string(std::string_view text, std::string& fault);

/// Makes the C client's server list of numeric addresses (`1.2.3.4:2181`, `::1:2181`). Repeats the first address if their
/// number is even: in an even list, the C client tries every second address only (ZOOKEEPER-2466).
std::string to_server_list(const std::vector<HostPort>& numeric);

} // namespace docent::session
