// SPDX-License-Identifier: Apache-2.0
// Five sellers sell ten tickets, and each ticket is sold exactly once. There are four ways to do it;
// docs/recipes/shared_value.md and docs/recipes/distributed_atomic_value.md show two. Usage: stock [CONNECT_STRING]; without a
// connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <cstdint>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

constexpr int tickets = 10;
constexpr int sellers = 5;
constexpr auto root = "/examples/stock";

/// Sells one ticket; false if there is none left.
using Sell = bool (*)(docent::Client&);

/// One at a time: simple, and enough if a seller that has lost the lock may sell one ticket too many.
bool sell_under_a_mutex(docent::Client& client) {
    docent::InterProcessMutex mutex{client, std::string(root) + "/mutex-lock"};
    const std::scoped_lock hold{mutex};
    const int left = std::stoi(client.get(std::string(root) + "/mutex").data);
    if (left == 0) return false;
    client.set(std::string(root) + "/mutex", std::to_string(left - 1));
    return true;
}

/// The fastest seller wins; the others try again. No lock.
bool sell_by_version(docent::Client& client) {
    // [version]
    docent::SharedCount stock{client, "/examples/stock/version"};
    stock.start();
    for (;;) {
        const docent::VersionedCount left = stock.get(); // from memory
        if (left.count == 0) return false;
        if (stock.try_set(left, left.count - 1)) return true; // else again
    }
    // [version]
}

/// No lock, and each sale counts exactly once, also if a reply is lost.
bool sell_atomically(docent::Client& client) {
    // [atomic]
    docent::DistributedAtomicLong stock{client, "/examples/stock/atomic"};
    for (;;) {
        const std::int64_t left = stock.get().after;
        if (left == 0) return false;
        if (stock.compare_and_set(left, left - 1).succeeded) return true;
    } // another seller was faster: again
    // [atomic]
}

/// One at a time. The server refuses a seller that has lost the lock; the ticket and the count change together.
bool sell_in_a_guarded_transaction(docent::Client& client) {
    docent::InterProcessMutex mutex{client, std::string(root) + "/guarded-lock"};
    const docent::Lease lease = mutex.acquire();
    const docent::NodeData stock = client.get(std::string(root) + "/guarded");
    const int left = std::stoi(stock.data);
    if (left == 0) return false;
    docent::Transaction sale;
    sale.guard(lease)
        .set_data(std::string(root) + "/guarded", std::to_string(left - 1), stock.stat.version)
        .create(std::string(root) + "/sold-", "", docent::CreateMode::persistent_sequential);
    client.commit(sale.exactly_once());
    return true;
}

int sell_out(const std::string& servers, Sell sell) {
    std::vector<std::future<int>> all;
    for (int i = 0; i < sellers; ++i) {
        all.push_back(std::async(std::launch::async, [&servers, sell] {
            docent::Client client{{.connect_string = servers}}; // a separate session, as in a separate process
            client.start();
            int sold = 0;
            while (sell(client)) ++sold;
            return sold;
        }));
    }
    int sold = 0;
    for (auto& one : all) sold += one.get();
    return sold;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        if (client.exists(root)) client.remove(root, {.children = docent::RemoveChildren::yes}); // from an earlier run
        client.create(std::string(root) + "/mutex", std::to_string(tickets), {.parents = docent::Parents::persistent});
        client.create(std::string(root) + "/guarded", std::to_string(tickets));
        docent::SharedCount(client, std::string(root) + "/version", tickets).start();
        docent::DistributedAtomicLong(client, std::string(root) + "/atomic").initialize(tickets);

        const int by_mutex = sell_out(server.connect_string(), sell_under_a_mutex);
        const int by_version = sell_out(server.connect_string(), sell_by_version);
        const int atomically = sell_out(server.connect_string(), sell_atomically);
        const int guarded = sell_out(server.connect_string(), sell_in_a_guarded_transaction);
        std::cout << "sold of " << tickets << " each: under a mutex " << by_mutex << ", by version " << by_version
                  << ", atomically " << atomically << ", in guarded transactions " << guarded << '\n';
        return by_mutex == tickets && by_version == tickets && atomically == tickets && guarded == tickets ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
