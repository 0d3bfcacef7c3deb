// SPDX-License-Identifier: Apache-2.0
#include "session/failed_servers.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace docent::session {
namespace {

std::string_view reason(zk::AttemptEnd end) {
    switch (end) {
    case zk::AttemptEnd::no_listener: return "connection refused";
    case zk::AttemptEnd::unreachable: return "no connection";
    case zk::AttemptEnd::silent: return "connected, but silent";
    case zk::AttemptEnd::refused: return "hung up: no quorum, or too many connections";
    case zk::AttemptEnd::not_zookeeper: return "not ZooKeeper";
    }
    return "";
}

} // namespace

std::string FailedServers::text(std::string_view server_list) const {
    std::string text = "no answer from ";
    std::set<std::string_view> told; // a list may have a server twice
    while (!server_list.empty()) {
        const auto end = std::min(server_list.find(','), server_list.size());
        const std::string_view server = server_list.substr(0, end);
        server_list.remove_prefix(std::min(end + 1, server_list.size()));
        if (!told.insert(server).second) continue;
        auto found = ends_.find(server);
        if (found == ends_.end()) found = ends_.find(""); // the C client does not tell which one it was
        text += (told.size() > 1 ? ", " : "") + std::string(server) + " (" +
                std::string(found == ends_.end() ? "not tried yet" : reason(found->second)) + ")";
    }
    return text;
}

} // namespace docent::session
