// SPDX-License-Identifier: Apache-2.0
// A job without end releases its lock when another client asks: docs/recipes/revocation.md shows it. Usage: revocation
// [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/thread_pool.hpp>

#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

constexpr auto path = "/examples/revocation";

/// Asks the present holders to release.
void ask_holders(docent::Client& client) {
    // [ask]
    const docent::Inspection queue = docent::inspect(client, path);
    for (const docent::Participant& each : queue.participants) {
        if (each.holds) docent::revoke(client, each.node_path);
    }
    // [ask]
}

/// Works until another client asks. Returns the number of steps.
int work_by_turns(docent::Client& client, std::promise<void>& begun) {
    int steps = 0;
    const auto do_a_step = [&] {
        if (steps++ == 0) begun.set_value();
        std::this_thread::yield();
    };
    // [thread]
    docent::InterProcessMutex mutex{client, path};
    std::stop_source stop;
    const auto ask = [stop](const std::string&) mutable { stop.request_stop(); };
    mutex.make_revocable(ask);
    const std::scoped_lock hold{mutex};
    while (!stop.stop_requested()) do_a_step();
    // [thread]
    return steps;
}

bool thread_is_told(docent::Client& client, docent::Client& other) {
    std::promise<void> begun;
    auto worker = std::async(std::launch::async, [&] { return work_by_turns(client, begun); });
    begun.get_future().get();
    docent::InterProcessMutex mutex{other, path};
    auto next = std::async(std::launch::async, [&] { return mutex.acquire().owns(); });
    ask_holders(other);
    return next.get() && worker.get() > 0;
}

bool lease_is_released(docent::Client& client, docent::Client& other) {
    boost::asio::thread_pool pool{1};
    // [lease]
    docent::InterProcessMutex mutex{client, path, {.node_data = "report"}};
    docent::Lease lease = mutex.acquire();
    const auto give_up = [&lease] { lease.release(); };
    lease.make_revocable(give_up, pool.get_executor()); // may block
    // [lease]
    const bool named = docent::inspect(other, path).participants.at(0).data == "report";
    ask_holders(other);
    const bool next = docent::InterProcessMutex(other, path).acquire().owns();
    pool.join();
    return named && next && lease.state() == docent::LeaseState::released;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        docent::Client client{{.connect_string = server.connect_string()}};
        docent::Client other{{.connect_string = server.connect_string()}};
        client.start();
        other.start();
        const bool lease = lease_is_released(client, other);
        const bool thread = thread_is_told(client, other);
        std::cout << "a lease " << (lease ? "was" : "WAS NOT") << " given up, a thread " << (thread ? "was" : "WAS NOT")
                  << " told\n";
        return lease && thread ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
