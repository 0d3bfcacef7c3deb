// SPDX-License-Identifier: Apache-2.0
// Curator's classic locking example: five clients take fifty turns each on a resource that must not be used by two at once.
// Usage: locking [CONNECT_STRING]; without one it starts a server of its own.

#include "example_server.hpp"
#include "fake_limited_resource.hpp"

#include <docent/docent.hpp>

#include <future>
#include <iostream>
#include <vector>

using namespace std::chrono_literals;

constexpr int clients = 5;
constexpr int turns = 50;

void take_turns(const std::string& connect_string, FakeLimitedResource& resource) {
    docent::Client client{{.connect_string = connect_string}}; // a session of its own, as in a process of its own
    client.start();
    docent::InterProcessMutex mutex{client, "/examples/locking"};

    for (int turn = 0; turn < turns; ++turn) {
        std::unique_lock hold{mutex, 30s}; // TimedLockable: try_lock_for
        if (!hold) throw std::runtime_error("did not get the lock within 30 s");
        resource.use();
    }
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    FakeLimitedResource resource;

    std::vector<std::future<void>> workers;
    for (int i = 0; i < clients; ++i) {
        workers.push_back(std::async(std::launch::async, [&] { take_turns(server.connect_string(), resource); }));
    }
    try {
        for (auto& worker : workers) worker.get();
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    std::cout << "the resource was used " << resource.uses() << " times, never by two at once\n";
    return resource.uses() == clients * turns ? 0 : 1;
}
