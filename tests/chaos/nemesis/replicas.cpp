// SPDX-License-Identifier: Apache-2.0
#include "checker/replica.hpp"
#include "nemesis/ground.hpp"

#include <docent/client.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace docent::chaos {

using namespace std::chrono_literals;

namespace {

constexpr auto between_looks = 3s;
const CallOptions patiently{.timeout = 10s};

/// Adds the ephemeral nodes below a path, as this server shows them. Throws if the server does not answer.
void add_nodes(Client& client, const std::string& path, Replica& replica) {
    error_code gone;
    const Children found = client.children(path, gone, patiently);
    if (gone && gone != server_error::no_node) throw boost::system::system_error(gone);
    for (const std::string& name : found.names) {
        const std::string node = path + '/' + name;
        const auto stat = client.exists(node, patiently);
        if (stat && stat->ephemeral_owner != 0) {
            replica[node] = "czxid " + std::to_string(stat->czxid) + " session " + std::to_string(stat->ephemeral_owner);
        }
        add_nodes(client, node, replica);
    }
}

Replica replica_of(const std::string& connect) {
    Client client({.connect_string = connect, .session_timeout = 10s, .ensemble_tracking = EnsembleTracking::off});
    client.start();
    client.sync(std::string(root), patiently);
    Replica replica;
    add_nodes(client, std::string(root), replica);
    client.close();
    return replica;
}

std::vector<Replica> look(testing::TestingCluster& cluster) {
    std::vector<Replica> replicas;
    for (std::size_t server = 0; server < cluster.size(); ++server) {
        replicas.push_back(replica_of(cluster.server(server).connect_string()));
    }
    return replicas;
}

bool same_in_all(const std::vector<Replica>& replicas, const std::string& node) {
    for (const Replica& replica : replicas) {
        const auto found = replica.find(node);
        if (found == replica.end() || found->second != replicas.front().at(node)) return false;
    }
    return true;
}

std::int64_t session_of(const std::string& known_by) {
    return std::stoll(known_by.substr(known_by.rfind(' ') + 1));
}

/// Nodes that all servers show although the leader does not know their sessions. They would stay for ever.
std::vector<std::string> orphans_in(testing::TestingCluster& cluster, const std::vector<Replica>& replicas) {
    const auto leader = cluster.leader();
    if (!leader) return {};
    const auto sessions = sessions_in(cluster.server(*leader).four_letter_word("dump"));
    std::vector<std::string> orphans;
    for (const auto& [node, known_by] : replicas.front()) {
        if (same_in_all(replicas, node) && !sessions.contains(session_of(known_by))) orphans.push_back(node);
    }
    return orphans;
}

} // namespace

bool mend_replicas(Ground& ground, Journal& journal) try {
    testing::TestingCluster& cluster = ground.cluster();
    const auto before = look(cluster);
    const auto orphans_before = orphans_in(cluster, before);
    std::this_thread::sleep_for(between_looks);
    const auto after = look(cluster);
    const auto odd = odd_ones(before, after);
    for (const auto& [server, example] : odd) {
        journal.add("corrupt server-" + std::to_string(server) + ' ' + example + ", unlike the others");
        cluster.server(server).kill();
        if (ground.observer().has_quorum()) ground.wipe(server);
        cluster.server(server).start();
        cluster.wait_for_quorum();
    }
    bool found = !odd.empty();
    const auto orphans_after = orphans_in(cluster, after);
    for (const std::string& node : orphans_before) {
        if (std::find(orphans_after.begin(), orphans_after.end(), node) == orphans_after.end()) continue;
        journal.add("corrupt ensemble has " + node + ' ' + after.front().at(node) + ", which the leader does not know");
        ground.observer().delete_node(node);
        found = true;
    }
    return found;
} catch (const boost::system::system_error& e) {
    journal.add(std::string("unanswered ") + e.what());
    return false;
}

} // namespace docent::chaos
