// SPDX-License-Identifier: Apache-2.0

// The memory of a waiter, and that ten thousand waiters leave nothing behind.

#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <atomic>
#include <cstdio>
#include <memory>
#include <vector>

namespace docent::resources {
namespace {

constexpr int waiters_each = 100;
constexpr std::int64_t most_bytes_each = 7L * 1024 / 2;
constexpr std::int64_t kept_bytes_each = 1024; // kept after the first waiters, for later ones
constexpr std::int64_t more_bytes_each = 128;  // allowed growth after the next waiters

std::string queue_path(int queue) {
    return "/w/" + std::to_string(queue);
}

struct Turns {
    std::atomic<int> had = 0;
    std::atomic<int> refused = 0;
};

void join(Client& client, int queues, Turns& turns) {
    std::vector<std::unique_ptr<InterProcessMutex>> mutexes;
    for (int i = 0; i < queues; ++i) mutexes.push_back(std::make_unique<InterProcessMutex>(client, queue_path(i)));
    for (int i = 0; i < queues * waiters_each; ++i) {
        mutexes[static_cast<std::size_t>(i % queues)]->async_acquire([&turns](error_code ec, Lease lease) {
            if (ec) std::printf("a waiter ends with %s\n", ec.message().c_str());
            ++(ec ? turns.refused : turns.had);
            lease = {}; // the next waiter's turn
        });
    }
}

void stand_in_line(Report& report, const testing::TestingServer& server, Client& holder, Client& client, int queues) {
    const int count = queues * waiters_each;
    std::vector<Lease> held;
    for (int i = 0; i < queues; ++i) held.push_back(InterProcessMutex(holder, queue_path(i)).acquire({.timeout = longest}));
    const Usage before = usage(server);
    Turns turns;
    join(client, queues, turns);
    const auto in_line = [&] { return server.metric("zk_ephemerals_count") == before.ephemeral_nodes + count; };
    report.check(comes_true([&] { return in_line() || turns.refused > 0; }) && turns.refused == 0, "all waiters stand in line");
    Usage now;
    const bool little = comes_true([&] { // by then their lists have been read and their watches are set
        now = usage(server);
        return now.watches >= before.watches + count && now.heap <= before.heap + most_bytes_each * count;
    });
    const std::int64_t bytes = (now.heap - before.heap) / count;
    std::printf("%d waiters on one client: %ld bytes and %.2f watches each\n", count, static_cast<long>(bytes),
                static_cast<double>(now.watches - before.watches) / count);
    report.check(little, "a waiter takes no more than 3.5 KiB");
    report.check(now.watches <= before.watches + std::int64_t{2} * count, "a waiter has two watches at most");
    report.check(now.threads <= before.threads && now.descriptors <= before.descriptors,
                 "waiters take no thread and no descriptor");
    for (Lease& lease : held) lease.release();
    report.check(comes_true([&] { return turns.had + turns.refused == count; }), "each waiter has its turn");
    const std::int64_t none = before.ephemeral_nodes - queues;
    report.check(comes_true([&] { return server.metric("zk_ephemerals_count") == none; }), "no waiter leaves a node");
    client.sync("/", {.timeout = longest}); // all requests are answered by then
}

} // namespace

void count_waiters(Report& report, const testing::TestingServer& server, int queues) {
    Client holder{config_for(server.connect_string())};
    Client client{config_for(server.connect_string())};
    for (Client* each : {&holder, &client}) {
        each->start();
        each->wait_connected({.timeout = longest});
    }
    for (int i = 0; i < queues; ++i) keep(holder, queue_path(i));
    std::atomic<bool> called = false; // the first handler starts the thread for handlers
    client.async_sync("/", [&](auto&&...) { called = true; });
    report.check(comes_true([&] { return called.load(); }), "a handler is called");
    const std::string count = std::to_string(queues * waiters_each);
    const Usage empty = usage(server);
    stand_in_line(report, server, holder, client, queues);
    report.compare(count + " waiters, after their turns", server, empty, kept_bytes_each * queues * waiters_each);
    Usage before = usage(server);
    before.watches = empty.watches;
    before.nodes = empty.nodes;
    before.ephemeral_nodes = empty.ephemeral_nodes;
    stand_in_line(report, server, holder, client, queues); // tables that the first waiters enlarged are used again
    report.compare(count + " waiters once more", server, before, more_bytes_each * queues * waiters_each);
}

} // namespace docent::resources
