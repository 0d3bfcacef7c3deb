// SPDX-License-Identifier: Apache-2.0

// The answers to four-letter words.

#include "testing/memory/service.hpp"

#include <array>
#include <cstdio>
#include <sstream>

namespace docent::testing {
namespace {

constexpr auto version = "docent-memory-server, a server in memory for tests: not ZooKeeper, nothing is kept";

std::string hexadecimal(std::int64_t value) {
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

struct Totals {
    std::int64_t received = 0;
    std::int64_t sent = 0;
    std::size_t connections = 0;
};

Totals totals_of(const MemoryService& service, std::size_t server) {
    Totals totals{service.traffic(server).received, service.traffic(server).sent};
    for (const Peer* const peer : service.peers()) {
        if (peer->server != server) continue;
        totals.received += peer->received;
        totals.sent += peer->sent;
        if (peer->session != 0) ++totals.connections;
    }
    return totals;
}

std::string mode_of(const MemoryEnsemble& ensemble, std::size_t server) {
    if (ensemble.size() == 1) return "standalone";
    return ensemble.leader() == server ? "leader" : "follower";
}

std::string connections(const MemoryService& service, std::size_t server) {
    std::ostringstream out;
    for (const Peer* const peer : service.peers()) {
        if (peer->server != server) continue;
        out << " /127.0.0.1:" << peer->port << "[1](queued=0,recved=" << peer->received << ",sent=" << peer->sent;
        const auto session = service.ensemble().sessions().find(peer->session);
        if (session != service.ensemble().sessions().end())
            out << ",sid=" << hexadecimal(session->first) << ",to=" << session->second.timeout.count();
        out << ")\n";
    }
    return out.str();
}

std::string summary(const MemoryService& service, std::size_t server) {
    const auto& tree = service.ensemble().seen_by(server);
    const Totals totals = totals_of(service, server);
    std::ostringstream out;
    out << "Latency min/avg/max: 0/0.0/0\nReceived: " << totals.received << "\nSent: " << totals.sent
        << "\nConnections: " << totals.connections << "\nOutstanding: 0\nZxid: " << hexadecimal(tree.zxid())
        << "\nMode: " << mode_of(service.ensemble(), server) << "\nNode count: " << tree.nodes().size() << '\n';
    return out.str();
}

std::size_t data_size(const detail::NodeTree& tree) {
    std::size_t size = 0;
    for (const auto& [path, node] : tree.nodes()) size += path.size() + node.data.size();
    return size;
}

std::string metrics(const MemoryService& service, std::size_t server) {
    const auto& tree = service.ensemble().seen_by(server);
    const Totals totals = totals_of(service, server);
    std::ostringstream out;
    out << "zk_version\t" << version << "\nzk_server_state\t" << mode_of(service.ensemble(), server)
        << "\nzk_packets_received\t" << totals.received << "\nzk_packets_sent\t" << totals.sent
        << "\nzk_num_alive_connections\t" << totals.connections << "\nzk_outstanding_requests\t0\nzk_znode_count\t"
        << tree.nodes().size() << "\nzk_watch_count\t" << service.watch_count(server) << "\nzk_ephemerals_count\t"
        << tree.ephemeral_count() << "\nzk_approximate_data_size\t" << data_size(tree) << "\nzk_global_sessions\t"
        << service.ensemble().session_count() << '\n';
    return out.str();
}

} // namespace

std::string answer_word(const MemoryService& service, std::size_t server, std::string_view word) {
    if (word == "ruok") return "imok";
    if (word != "srvr" && word != "mntr" && word != "stat" && word != "cons" && word != "isro")
        return std::string(word) + " is not executed because it is not in the whitelist.\n";
    if (!service.ensemble().serves(server)) return "This ZooKeeper instance is not currently serving requests\n";
    if (word == "isro") return "rw";
    if (word == "mntr") return metrics(service, server);
    if (word == "cons") return connections(service, server) + '\n';
    const std::string head = std::string("Zookeeper version: ") + version + '\n';
    if (word == "srvr") return head + summary(service, server);
    return head + "Clients:\n" + connections(service, server) + '\n' + summary(service, server);
}

} // namespace docent::testing
