// SPDX-License-Identifier: Apache-2.0
#include "servers/server_pool.hpp"

#include "eventually.hpp"
#include "servers/pool_words.hpp"

#include <docent/client.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <utility>

namespace docent::test {

using docent::testing::TestingServer;

namespace {

constexpr std::size_t most_waiting = 8;
constexpr std::int64_t most_nodes = 500; // with more, a new server is ready sooner than they are removed
constexpr const char* counted[] = {"zk_global_sessions", "zk_watch_count", "zk_ephemerals_count"};

bool root_is_as_new(Client& client) {
    const Stat root = client.exists("/").value();
    return root.version == 0 && root.aversion == 0 && client.children("/zookeeper/quota").names.empty();
}

bool nobody_is_there(const TestingServer& server) {
    return std::all_of(std::begin(counted), std::end(counted), [&](const char* name) { return server.metric(name) == 0; });
}

bool everybody_goes(const TestingServer& server, std::chrono::milliseconds longest) {
    constexpr std::chrono::milliseconds pause{100}; // leaves the processors to the tests
    const auto decided = [&] { return !server.running() || nobody_is_there(server); };
    return eventually(decided, longest, pause) && server.running();
}

bool make_empty(TestingServer& server) {
    if (server.metric("zk_znode_count") > most_nodes) return false;
    Client client({.connect_string = server.connect_string(), .ensemble_tracking = EnsembleTracking::off});
    client.start();
    for (const std::string& name : client.children("/").names) {
        if (name != "zookeeper") client.remove('/' + name, {.children = RemoveChildren::yes, .if_missing = IfMissing::accept});
    }
    const bool as_new = root_is_as_new(client);
    client.close();
    server.four_letter_word("srst");
    return as_new && nobody_is_there(server);
}

} // namespace

ServerPool::Server ServerPool::take(const std::string& options) {
    {
        const std::lock_guard lock(mutex_);
        ++taken_;
        const auto found =
            std::find_if(waiting_.begin(), waiting_.end(), [&](const Waiting& waiting) { return waiting.options == options; });
        if (found != waiting_.end()) {
            Server server = std::move(found->server);
            waiting_.erase(found);
            return server;
        }
        ++started_;
    }
    return std::make_unique<TestingServer>(options_in(options));
}

void ServerPool::give_back(const std::string& options, Server server) {
    try {
        if (!everybody_goes(*server, farewell_) || !make_empty(*server)) return;
    } catch (const std::exception&) {
        return; // the server has a fault, perhaps on purpose
    }
    Server one_too_many; // ends without the lock
    const std::lock_guard lock(mutex_);
    waiting_.push_front({options, std::move(server)});
    if (waiting_.size() > most_waiting) {
        one_too_many = std::move(waiting_.back().server);
        waiting_.pop_back();
    }
}

std::string ServerPool::end_all() {
    std::list<Waiting> ended; // they end without the lock
    const std::lock_guard lock(mutex_);
    ended.swap(waiting_);
    return std::to_string(taken_) + " times a server was taken, " + std::to_string(started_) + " were started";
}

} // namespace docent::test
