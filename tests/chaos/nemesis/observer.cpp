// SPDX-License-Identifier: Apache-2.0
#include "nemesis/observer.hpp"

#include "worker/worker.hpp"

#include <docent/recipes/partitioner.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <stop_token>

namespace docent::chaos {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t longest_ledger = 10'000;
constexpr auto longest_answer = 10s;

} // namespace

Observer::Observer(const std::string& connect, Journal& journal)
    : journal_(journal),
      client_({.connect_string = connect, .session_timeout = 10s, .ensemble_tracking = EnsembleTracking::off}) {
    client_.start();
    client_.create(chaos::counter, "0", {.if_exists = IfExists::accept});
    client_.create(ledger, "", {.if_exists = IfExists::accept});
    ledger_ = std::jthread([this](const std::stop_token& stop) { keep_ledger(stop); });
}

std::vector<std::string> Observer::children(const std::string& path) {
    error_code ec;
    const Children found = client_.children(path, ec, {.timeout = longest_answer});
    std::vector<std::string> paths;
    if (ec && ec != server_error::no_node) paths.push_back(path + " (" + ec.message() + ')');
    for (const std::string& name : found.names) paths.push_back(path + '/' + name);
    return paths;
}

/// Markers of transactions, except the few that a client keeps for its next transactions.
std::vector<std::string> Observer::surplus_markers() {
    constexpr std::size_t most = 8; // of a session
    std::map<std::int64_t, std::size_t> of_session;
    std::vector<std::string> surplus;
    for (const std::string& marker : children(markers)) {
        error_code ec;
        const auto stat = client_.exists(marker, ec, {.timeout = longest_answer});
        if (stat && (stat->ephemeral_owner == 0 || ++of_session[stat->ephemeral_owner] > most)) surplus.push_back(marker);
    }
    return surplus;
}

std::vector<std::string> Observer::lock_nodes() {
    const std::int64_t zxid = last_zxid_;
    std::vector<std::string> all = surplus_markers();
    for (const std::string& resource : children(std::string(root))) {
        for (const std::string& node : children(resource)) {
            const bool is_folder = node.ends_with("/locks") || node.ends_with("/leases");
            for (const std::string& inner : is_folder ? children(node) : std::vector{node}) all.push_back(inner);
        }
    }
    for (const std::string& member : children(partition + std::string("/members"))) all.push_back(member);
    for (const std::string& item : children(partition + std::string("/items"))) {
        for (const std::string& node : children(item)) all.push_back(node);
    }
    for (std::string& node : all) {
        error_code ec;
        const auto stat = client_.exists(node, ec, {.timeout = longest_answer});
        if (stat) node += " czxid " + std::to_string(stat->czxid) + " session " + std::to_string(stat->ephemeral_owner);
        node += " after " + std::to_string(zxid);
    }
    return all;
}

std::optional<std::int64_t> Observer::counter() {
    error_code ec;
    client_.sync(chaos::counter, ec, {.timeout = longest_answer});
    if (ec) return std::nullopt;
    const NodeData read = client_.get(chaos::counter, ec, {.timeout = longest_answer});
    return ec ? std::nullopt : std::optional(std::stoll(read.data));
}

bool Observer::has_quorum() {
    error_code ec;
    client_.set(ledger, "", ec, {.timeout = longest_answer});
    return !ec;
}

std::string Observer::some_node(std::mt19937_64& random) {
    const auto drawn = [&](std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random); };
    std::string path = drawn(3) == 0   ? counter_lock
                       : drawn(5) == 0 ? partition_item_path(partition, std::to_string(drawn(partition_items)))
                                       : resources[drawn(resources.size())];
    if (path.starts_with(semaphore)) path += "/leases";
    const std::vector<std::string> nodes = children(path);
    if (nodes.empty() || nodes.front().ends_with(')')) return {};
    const auto number = [](const std::string& node) {
        return node.substr(node.size() - std::min<std::size_t>(node.size(), 10));
    };
    if (drawn(2) == 0) return nodes[drawn(nodes.size())];
    return *std::min_element(nodes.begin(), nodes.end(), [&](auto& a, auto& b) { return number(a) < number(b); });
}

std::optional<std::int64_t> Observer::owner_of(const std::string& node) {
    error_code ec;
    const auto stat = client_.exists(node, ec, {.timeout = 1s});
    return stat ? std::optional(stat->ephemeral_owner) : std::nullopt;
}

bool Observer::delete_node(const std::string& node) {
    journal_.add("deleting " + node);
    error_code ec;
    client_.remove(node, ec, {.timeout = 1s});
    return !ec;
}

void Observer::keep_ledger(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
        write_ledger();
        std::this_thread::sleep_for(50ms);
    }
}

void Observer::write_ledger() {
    error_code ec;
    const Stat stat = client_.set(ledger, "", ec, {.timeout = 5s});
    if (ec) return;
    const auto lost = acknowledged_.lower_bound(stat.version); // each write increments the version
    if (lost != acknowledged_.end()) {
        journal_.add("back " + std::to_string(lost->second) + ' ' + std::to_string(acknowledged_.rbegin()->second) + ' ' +
                     std::to_string(stat.mzxid));
        acknowledged_.erase(lost, acknowledged_.end());
    }
    acknowledged_[stat.version] = stat.mzxid;
    last_zxid_ = stat.mzxid;
    if (acknowledged_.size() > longest_ledger) acknowledged_.erase(acknowledged_.begin());
}

} // namespace docent::chaos
