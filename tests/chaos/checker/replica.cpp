// SPDX-License-Identifier: Apache-2.0
#include "checker/replica.hpp"

#include <charconv>

namespace docent::chaos {

std::map<std::size_t, std::string> odd_ones(const std::vector<Replica>& before, const std::vector<Replica>& after) {
    std::map<std::string, std::vector<bool>> shown; // by node, czxid and session
    for (std::size_t server = 0; server < before.size(); ++server) {
        for (const auto& [node, known_by] : before[server]) {
            shown[node + ' ' + known_by].resize(before.size());
            shown[node + ' ' + known_by][server] = true;
        }
    }
    std::map<std::size_t, std::string> odd;
    for (const auto& [text, by] : shown) {
        const std::string node = text.substr(0, text.find(' '));
        std::size_t all = 0;
        bool is_steady = true;
        for (std::size_t server = 0; server < by.size(); ++server) {
            const auto again = after.at(server).find(node);
            const bool is_there = again != after[server].end() && text == node + ' ' + again->second;
            is_steady = is_steady && is_there == by[server];
            all += is_there;
        }
        if (!is_steady) continue;
        for (std::size_t server = 0; server < by.size(); ++server) {
            if (by[server] != (2 * all > by.size())) odd.emplace(server, (by[server] ? "shows " : "lacks ") + text);
        }
    }
    return odd;
}

std::set<std::int64_t> sessions_in(std::string_view dump) {
    std::set<std::int64_t> sessions;
    dump = dump.substr(0, dump.find("ephemeral nodes dump"));
    for (std::size_t at = dump.find("0x"); at != std::string_view::npos; at = dump.find("0x", at + 2)) {
        std::uint64_t session = 0;
        std::from_chars(dump.data() + at + 2, dump.data() + dump.size(), session, 16);
        sessions.insert(static_cast<std::int64_t>(session));
    }
    return sessions;
}

} // namespace docent::chaos
