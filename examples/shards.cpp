// SPDX-License-Identifier: Apache-2.0
// Four workers share 64 shards. One of them dies, and its shards move to the others. docs/recipes/partitioner.md shows it.
// Usage: shards [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr std::size_t shards = 64;
constexpr auto path = "/examples/shards";

/// How many workers each shard has at this moment.
std::array<std::atomic<int>, shards> workers;
std::atomic<bool> two_at_once{false};

struct AtWork {
    explicit AtWork(std::size_t shard) : here(workers.at(shard)) {
        if (++here > 1) two_at_once = true;
    }
    ~AtWork() { --here; }
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;
    std::atomic<int>& here;
};

struct Worker {
    Worker(const std::string& servers, const std::string& id)
        : client({.connect_string = servers, .session_timeout = 4s}), member(make(client, id)) {
        client.start();
        member->start();
    }

    static std::unique_ptr<docent::Partitioner> make(docent::Client& client, const std::string& id) {
        // [coroutine]
        const auto work = [](const std::string& item, docent::Leadership) -> asio::awaitable<void> {
            const AtWork here{std::stoul(item)};
            asio::steady_timer serving{co_await asio::this_coro::executor, 24h};
            co_await serving.async_wait(asio::use_awaitable); // until it is cancelled
        };
        return std::make_unique<docent::Partitioner>(client, path, docent::numbered_items(shards), work,
                                                     docent::PartitionOptions{.id = id});
        // [coroutine]
    }

    docent::Client client;
    std::unique_ptr<docent::Partitioner> member;
};

/// Waits until all shards are owned, and each worker has its share.
bool are_shared(const std::vector<std::unique_ptr<Worker>>& all) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < end) {
        std::size_t owned = 0;
        bool fair = true;
        for (const auto& worker : all) {
            const std::size_t own = worker->member->owned().size();
            owned += own;
            fair = fair && own >= shards / all.size();
        }
        if (fair && owned == shards) return true;
        std::this_thread::sleep_for(20ms);
    }
    return false;
}

void print(const docent::Partitioner& member) {
    // [distribution]
    const docent::Distribution found = member.distribution();
    for (const docent::PartitionMember& each : found.members) {
        std::cout << each.id << (each.present ? "" : " (gone)") << ": " << each.items.size() << " shards\n";
    }
    std::cout << found.moves << " moves\n";
    // [distribution]
}

/// The same with a function as the work, on a thread for each item.
bool run_functions(docent::Client& client) {
    std::atomic<int> steps{0};
    // [function]
    docent::PartitionOptions options{.id = "worker-3", .stop_limit = 10s};
    options.on_failure = [](const std::exception_ptr&) { std::cerr << "the work failed\n"; };
    docent::Partitioner member{client, "/examples/orders", docent::numbered_items(4),
                               [&](const std::string& item, const docent::Lease& lease) {
                                   while (!lease.stop_token().stop_requested()) {
                                       ++steps; // one step of the work on this item
                                       std::this_thread::sleep_for(10ms);
                                   }
                                   std::cout << "leaves " + item + '\n';
                               },
                               options};
    member.start();
    // [function]
    const auto end = std::chrono::steady_clock::now() + 60s;
    const auto all_work = [&] { return member.owned().size() == 4 && steps > 0; };
    while (!all_work() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(20ms);
    const bool done = all_work();
    member.close(); // waits for the work
    return done;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        std::vector<std::unique_ptr<Worker>> all;
        for (const char* id : {"a", "b", "c", "d"}) all.push_back(std::make_unique<Worker>(server.connect_string(), id));
        bool good = are_shared(all);
        const auto before = all.front()->member->distribution();
        all.back()->client.close(); // as if the process had ended
        all.pop_back();
        good = are_shared(all) && good;
        print(*all.front()->member);
        const auto moves = all.front()->member->distribution().moves - before.moves;
        good = good && moves == shards / 4 && !two_at_once && run_functions(all.front()->client);
        for (const auto& worker : all) worker->member->close();
        std::cout << (good ? "each shard had one worker" : "something went wrong") << '\n';
        return good ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
