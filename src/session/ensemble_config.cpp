// SPDX-License-Identifier: Apache-2.0
#include "session/ensemble_config.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace docent::session {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (ec != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
    return port;
}

std::string_view until(std::string_view text, std::string_view delimiters) {
    return text.substr(0, text.find_first_of(delimiters));
}

/// The host that `text` begins with: `[::1]` gives `::1`, `host:2888:3888` gives `host`.
std::string_view host_of(std::string_view text) {
    return text.starts_with('[') ? until(text.substr(1), "]") : until(text, ":");
}

bool means_all_interfaces(std::string_view host) {
    return host.empty() || host == "0.0.0.0" || host == "::" || host == "0:0:0:0:0:0:0:0";
}

std::optional<HostPort> client_address(std::string_view line) {
    const auto equals = line.find('=');
    const auto semicolon = line.find(';');
    if (!line.starts_with("server.") || equals == line.npos || semicolon == line.npos || semicolon < equals)
        return std::nullopt;
    const std::string_view server_host = host_of(line.substr(equals + 1, semicolon - equals - 1));
    const std::string_view client = line.substr(semicolon + 1);
    const auto colon = client.rfind(':');
    const auto port = parse_port(colon == client.npos ? client : client.substr(colon + 1));
    const std::string_view own_host = colon == client.npos ? std::string_view() : host_of(client.substr(0, colon));
    const std::string_view host = means_all_interfaces(own_host) ? server_host : own_host;
    if (!port || host.empty()) return std::nullopt;
    return HostPort{std::string(host), *port};
}

/// Whether a connect string can name the server. A host with a comma would become two servers.
bool can_be_named(const HostPort& server) {
    std::string fault;
    const auto named = parse_connect_string(to_connect_string({server}), fault);
    return fault.empty() && named.chroot.empty() && named.servers == std::vector{server};
}

} // namespace

std::vector<HostPort> client_addresses(std::string_view dynamic_config) {
    std::vector<HostPort> addresses;
    while (!dynamic_config.empty()) {
        const std::string_view line = until(dynamic_config, "\r\n");
        if (auto address = client_address(line); address && can_be_named(*address)) addresses.push_back(std::move(*address));
        dynamic_config.remove_prefix(std::min(line.size() + 1, dynamic_config.size()));
    }
    return addresses;
}

std::string to_connect_string(const std::vector<HostPort>& servers) {
    std::string text;
    for (const HostPort& server : servers) {
        const bool is_ipv6 = server.host.find(':') != std::string::npos;
        text +=
            (text.empty() ? "" : ",") + (is_ipv6 ? "[" + server.host + "]" : server.host) + ":" + std::to_string(server.port);
    }
    return text;
}

} // namespace docent::session
