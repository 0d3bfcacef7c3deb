// SPDX-License-Identifier: Apache-2.0
#include "session/connect_string.hpp"

#include <docent/path.hpp>

#include <charconv>

namespace docent::session {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

bool parse_port(std::string_view text, std::uint16_t& port) {
    const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), port);
    return ec == std::errc{} && end == text.data() + text.size() && port != 0;
}

/// Splits `host:port`, `[v6]:port`, `host`, or a bare IPv6 address, which has no port of its own.
bool parse_server(std::string_view text, HostPort& server) {
    std::string_view port;
    if (text.starts_with('[')) {
        const auto close = text.find(']');
        if (close == std::string_view::npos) return false;
        server.host = text.substr(1, close - 1);
        text.remove_prefix(close + 1);
        if (text.empty()) return !server.host.empty();
        if (text.front() != ':') return false;
        port = text.substr(1);
    } else {
        const auto colon = text.find(':');
        const bool bare_v6 = colon != text.rfind(':');
        server.host = text.substr(0, bare_v6 ? text.size() : colon);
        if (bare_v6 || colon == std::string_view::npos) return !server.host.empty();
        port = text.substr(colon + 1);
    }
    return !server.host.empty() && server.host.find_first_of(" \t/") == std::string::npos && parse_port(port, server.port);
}

} // namespace

ConnectString parse_connect_string(std::string_view text, std::string& fault) {
    ConnectString result;
    fault.clear();
    const auto slash = text.find('/');
    if (slash != std::string_view::npos) {
        result.chroot = text.substr(slash);
        if (result.chroot == "/") result.chroot.clear();
        if (!result.chroot.empty()) fault = explain_path(result.chroot);
        text = text.substr(0, slash);
    }
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string_view part = trim(text.substr(begin, end - begin));
        HostPort server;
        if (parse_server(part, server)) {
            result.servers.push_back(std::move(server));
        } else if (fault.empty()) {
            fault = part.empty() ? "the connect string names no server; it should look like host:2181,host:2181"
                                 : "'" + std::string(part) + "' is not a server; it should look like host:2181 or [::1]:2181";
        }
        begin = end + 1;
    }
    return result;
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
