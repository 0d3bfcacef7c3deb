// SPDX-License-Identifier: Apache-2.0
// Curator's classic locking example: five clients take fifty turns each on a resource that only one client may use at a time.
// docs/recipes/inter_process_mutex.md shows a part of it. Usage: locking [CONNECT_STRING]; without a connect string it starts a
// server.

#include "example_server.hpp"
#include "fake_limited_resource.hpp"

#include <docent/docent.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <vector>

using namespace std::chrono_literals;

constexpr int clients = 5;
constexpr int turns = 50;

void take_turns(const std::string& connect_string, FakeLimitedResource& resource) {
    docent::Client client{{.connect_string = connect_string}}; // a separate session, as in a separate process
    client.start();
    docent::InterProcessMutex mutex{client, "/examples/locking"};

    for (int turn = 0; turn < turns; ++turn) {
        std::unique_lock hold{mutex, 30s}; // TimedLockable: try_lock_for
        if (!hold) throw std::runtime_error("did not get the lock within 30 s");
        resource.use();
    }
}

/// The ways to hold one mutex. Whether the fencing token grows from one hold to the next.
bool show_each_form(const std::string& connect_string) {
    docent::Client client{{.connect_string = connect_string}};
    client.start();
    std::vector<std::int64_t> tokens;
    const auto write_report = [&tokens](std::int64_t token) { tokens.push_back(token); };
    // [mutex]
    docent::InterProcessMutex mutex{client, "/examples/report"};
    {
        std::scoped_lock hold{mutex}; // waits; the calling thread holds the lock
        write_report(mutex.fencing_token());
    }
    docent::Lease lease = mutex.acquire(); // waits; the object holds the lock
    write_report(lease.fencing_token());
    lease.release(); // or let the object go out of scope

    if (auto maybe = mutex.try_acquire_for(5s)) { // waits 5 seconds at most
        write_report(maybe->fencing_token());
    }
    // [mutex]
    return tokens.size() == 3 && std::is_sorted(tokens.begin(), tokens.end(), std::less_equal<>());
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
        if (!show_each_form(server.connect_string())) throw std::runtime_error("the fencing tokens do not grow");
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    std::cout << "the resource was used " << resource.uses() << " times, never by two at once\n";
    return resource.uses() == clients * turns ? 0 : 1;
}
