// SPDX-License-Identifier: Apache-2.0
// Workers begin together and end together; docs/recipes/distributed_double_barrier.md shows it.
// Usage: double_barrier [CONNECT_STRING]; without a connect string it starts a server.

#include "../example_server.hpp"

#include <docent/docent.hpp>

#include <algorithm>
#include <atomic>
#include <future>
#include <iostream>
#include <vector>

constexpr int workers = 3;
constexpr auto path = "/examples/double_barrier";

std::atomic<int> arrived{0}, done{0};

/// One worker. Returns whether all workers were there when it began, and all were done when it ended.
bool work(docent::Client& client) {
    ++arrived;
    // [double-barrier]
    docent::DistributedDoubleBarrier barrier{client, path, workers};
    barrier.enter(); // waits until all workers are there
    const bool all_there = arrived == workers;
    ++done;
    barrier.leave(); // waits until all workers have left
    // [double-barrier]
    return all_there && done == workers;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        std::vector<std::future<bool>> results;
        for (int i = 0; i < workers; ++i) results.push_back(std::async(std::launch::async, [&client] { return work(client); }));
        const auto together = std::count_if(results.begin(), results.end(), [](auto& result) { return result.get(); });
        std::cout << together << " of " << workers << " began and ended with the others\n";
        return together == workers ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
