// SPDX-License-Identifier: Apache-2.0
// Workers begin together: each worker waits until the barrier is removed. docs/recipes/distributed_barrier.md shows it.
// Usage: barrier [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <atomic>
#include <future>
#include <iostream>
#include <vector>

using namespace std::chrono_literals;

constexpr auto barrier_path = "/examples/barrier/begin";

std::atomic<bool> prepared{false};

/// One worker. Returns whether all was prepared when the worker began.
bool work(docent::Client& client) {
    // [wait]
    docent::DistributedBarrier barrier{client, barrier_path};
    barrier.wait(); // returns at once without a barrier
    // [wait]
    return prepared;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        // [set]
        docent::DistributedBarrier barrier{client, barrier_path};
        barrier.set(); // stays when this process ends
        // [set]
        std::vector<std::future<bool>> workers;
        for (int i = 0; i < 3; ++i) workers.push_back(std::async(std::launch::async, [&client] { return work(client); }));
        docent::error_code ec;
        barrier.wait(ec, {.timeout = 50ms});
        const bool held_up = ec == docent::server_error::operation_timeout;

        prepared = true;
        // [remove]
        barrier.remove(); // all waiting processes continue
        // [remove]
        bool all_in_time = true;
        for (auto& worker : workers) all_in_time = worker.get() && all_in_time;
        std::cout << "began " << (all_in_time ? "together" : "too early") << '\n';
        return held_up && all_in_time ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
