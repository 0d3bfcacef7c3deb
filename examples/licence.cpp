// SPDX-License-Identifier: Apache-2.0
// Eight workers share a licence for three: a worker without a seat waits for one. docs/recipes/inter_process_semaphore.md shows
// parts of this. Usage: licence [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

/// A licence that notices more than three users.
class Licence {
public:
    void use(std::int32_t seats) {
        const int now = in_use_ += seats;
        for (int most = most_; most < now && !most_.compare_exchange_weak(most, now);) {
        }
        std::this_thread::sleep_for(2ms); // the work
        in_use_ -= seats;
        ++uses_;
    }
    int most() const { return most_; }
    int uses() const { return uses_; }

private:
    std::atomic<int> in_use_{0};
    std::atomic<int> most_{0};
    std::atomic<int> uses_{0};
};

constexpr int workers = 8;
constexpr int jobs = 10; // of each worker

void work(const std::string& servers, Licence& licence) {
    docent::Client client{{.connect_string = servers}}; // a separate session, as in a separate process
    client.start();
    // [one]
    docent::InterProcessSemaphore seats{client, "/examples/licence", 3};
    for (int job = 0; job < jobs; ++job) {
        const docent::Lease seat = seats.acquire(); // one of three permits
        licence.use(1);
    } // released here
    // [one]
    // [several]
    if (auto two = seats.try_acquire_for(2, 30s)) { // both, or none
        licence.use(2);
        two->pop_back(); // releases one permit, keeps the other
        licence.use(1);
    }
    // [several]
}

/// The limit is a number on the server.
int grow(docent::Client& client) {
    // [limit]
    docent::SharedCount limit{client, "/examples/licence-limit", 1};
    limit.start();
    docent::InterProcessSemaphore seats{client, "/examples/growing", limit};
    const docent::Lease first = seats.acquire();
    limit.set(2); // admits the next waiter at once
    const docent::Lease second = seats.acquire();
    const docent::PermitUsage usage = *second.usage_at_grant(); // .limit, .out
    // [limit]
    limit.set(1); // for the next run
    return usage.out;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    try {
        Licence licence;
        {
            std::vector<std::jthread> all;
            for (int i = 0; i < workers; ++i) all.emplace_back([&] { work(server.connect_string(), licence); });
        }
        docent::Client client{{.connect_string = server.connect_string()}};
        client.start();
        const int grown = grow(client);
        std::cout << licence.uses() << " jobs, at most " << licence.most() << " seats in use at once\n";
        return licence.most() <= 3 && licence.uses() == workers * (jobs + 2) && grown == 2 ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
}
