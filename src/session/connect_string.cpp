// SPDX-License-Identifier: Apache-2.0
#include "session/connect_string.hpp"

#include <docent/path.hpp>

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace docent::session {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

constexpr std::string_view tls_scheme = "tls://";
constexpr std::string_view looks = "it should look like host:2181 or [::1]:2181";

bool parse_port(std::string_view text, std::uint16_t& port) {
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
    return ec == std::errc{} && end == text.data() + text.size() && port != 0;
}

/// Whether a host name or an IPv4 address may contain `c`. The resolver checks bytes above ASCII.
bool is_host_character(char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_host(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), is_host_character);
}

bool is_v6(const std::string& text) {
    boost::system::error_code ec;
    boost::asio::ip::make_address_v6(text, ec);
    return !ec;
}

/// Splits `host:port`, `[v6]:port`, `host`, or a bare IPv6 address (without a port). Returns the fault, or an empty text.
std::string_view parse_server(std::string_view text, HostPort& server) {
    std::string_view port;
    bool has_port = false;
    const auto colon = text.find(':');
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) return looks;
        server.host = text.substr(1, close - 1);
        if (!is_v6(server.host)) return "the text in brackets must be an IPv6 address";
        text.remove_prefix(close + 1);
        has_port = !text.empty();
        if (has_port && text.front() != ':') return looks;
        port = text.substr(has_port ? 1 : 0);
    } else if (colon != text.rfind(':')) {
        server.host = text;
        if (!is_v6(server.host)) return looks;
    } else {
        server.host = text.substr(0, colon);
        if (!is_host(server.host)) return looks;
        has_port = colon != std::string_view::npos;
        port = text.substr(has_port ? colon + 1 : text.size());
    }
    return has_port && !parse_port(port, server.port) ? "its port is not a number from 1 to 65535" : "";
}

std::string explain_scheme(std::string_view scheme) {
    const bool secure = scheme.find("tls") != std::string_view::npos || scheme.find("ssl") != std::string_view::npos ||
                        scheme == "zks" || scheme == "https";
    return "the connect string begins with '" + std::string(scheme) + "://'; it should look like host:2181,host:2181" +
           (secure ? ", for TLS like tls://host:2281,host:2281" : "");
}

/// Refuses a comma in the chroot, as in `h1:2181/app,h2:2181/app`. A client would use the first server only, with the rest of
/// the text as its chroot. Clients with another order of the servers would then use other nodes.
std::string explain_chroot(const std::string& chroot) {
    if (const auto comma = chroot.find(','); comma != std::string::npos) {
        return "the connect string has a chroot before a comma ('" + chroot.substr(0, comma + 1) +
               "'); write the chroot once, after the last server: host:2181,host:2181/app";
    }
    const std::string fault = explain_path(chroot);
    return fault.empty() ? fault : "the connect string's chroot: " + fault;
}

} // namespace

ConnectString parse_connect_string(std::string_view text, std::string& fault) {
    ConnectString result;
    fault.clear();
    if (text.starts_with(tls_scheme)) {
        result.tls = true;
        text.remove_prefix(tls_scheme.size());
    }
    if (const auto scheme = text.find("://"); scheme != std::string_view::npos) {
        fault = explain_scheme(text.substr(0, scheme));
        return result;
    }
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        result.chroot = text.substr(slash);
        if (result.chroot == "/") result.chroot.clear();
        if (!result.chroot.empty()) fault = explain_chroot(result.chroot);
        text = text.substr(0, slash);
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = trim(text.substr(begin, end - begin));
        HostPort server;
        const std::string_view wrong = parse_server(part, server);
        if (wrong.empty()) {
            result.servers.push_back(std::move(server));
        } else if (fault.empty()) {
            fault = text.empty()   ? "the connect string names no server; it should look like host:2181,host:2181"
                    : part.empty() ? "the connect string has a comma with no server beside it"
                                   : "'" + std::string(part) + "' is not a server: " + std::string(wrong);
        }
        begin = end + 1;
    }
    return result;
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

namespace {

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

std::optional<HostPort> client_address(std::string_view line, ClientPort which) {
    const auto equals = line.find('=');
    const auto semicolon = line.find(';');
    if (!line.starts_with("server.") || equals == line.npos || semicolon == line.npos || semicolon < equals)
        return std::nullopt;
    const std::string_view server_host = host_of(line.substr(equals + 1, semicolon - equals - 1));
    const std::string_view both = line.substr(semicolon + 1);
    const auto second = std::min(both.find(';'), both.size());
    const std::string_view client =
        which == ClientPort::plain ? both.substr(0, second) : both.substr(std::min(second + 1, both.size()));
    const auto colon = client.rfind(':');
    const std::string_view own_host = colon == client.npos ? std::string_view() : host_of(client.substr(0, colon));
    HostPort address{std::string(means_all_interfaces(own_host) ? server_host : own_host)};
    const bool has_port = parse_port(colon == client.npos ? client : client.substr(colon + 1), address.port);
    return has_port && !address.host.empty() ? std::optional(std::move(address)) : std::nullopt;
}

/// Whether a connect string can name the server. A host with a comma would become two servers.
bool can_be_named(const HostPort& server) {
    std::string fault;
    const auto named = parse_connect_string(to_connect_string({server}), fault);
    return fault.empty() && named.chroot.empty() && named.servers == std::vector{server};
}

} // namespace

std::vector<HostPort> client_addresses(std::string_view dynamic_config, ClientPort which) {
    std::vector<HostPort> addresses;
    while (!dynamic_config.empty()) {
        const std::string_view line = until(dynamic_config, "\r\n");
        if (auto address = client_address(line, which); address && can_be_named(*address))
            addresses.push_back(std::move(*address));
        dynamic_config.remove_prefix(std::min(line.size() + 1, dynamic_config.size()));
    }
    return addresses;
}

std::string to_server_list(const std::vector<HostPort>& numeric) {
    std::string list;
    const auto append = [&list](const HostPort& server) {
        if (!list.empty()) list += ',';
        list += server.host + ':' + std::to_string(server.port);
    };
    for (const HostPort& server : numeric) append(server);
    if (numeric.size() % 2 == 0 && !numeric.empty()) append(numeric.front());
    return list;
}

} // namespace docent::session
