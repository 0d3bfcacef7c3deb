// SPDX-License-Identifier: Apache-2.0
#include "durations.hpp"
#include "workload.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <chrono>
#include <iostream>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

struct Figures {
    Durations acquire;
    Durations release;
};

Figures measure(const std::string& connect_string, const std::string& path, int n, int warmup) {
    docent::Client client{{.connect_string = connect_string, .session_timeout = 30s}};
    client.start();
    docent::InterProcessMutex mutex{client, path};
    Figures figures;
    for (int i = -warmup; i < n; ++i) { // the warm-up makes the parent, too
        const auto begin = steady_clock::now();
        docent::Lease lease = mutex.acquire();
        const auto acquired = steady_clock::now();
        lease.release(); // waits for the server
        const auto released = steady_clock::now();
        if (i < 0) continue;
        figures.acquire.add(acquired - begin);
        figures.release.add(released - acquired);
    }
    return figures;
}

void print(Figures figures) {
    std::cout << " acquire_p50_us=" << figures.acquire.at(0.5) << " acquire_p99_us=" << figures.acquire.at(0.99)
              << " release_p50_us=" << figures.release.at(0.5) << " release_p99_us=" << figures.release.at(0.99) << std::endl;
}

} // namespace

void run_uncontended(const Options& options) {
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    Figures figures = measure(options.text("connect"), "/benchmark/uncontended", n, warmup);
    std::cout << "peer=docent work=uncontended n=" << n << " warmup=" << warmup;
    print(std::move(figures));
}

void run_free(const Options& options) {
    const std::string kind = options.text("kind");
    if (kind != "mutex") throw std::invalid_argument("--kind is mutex, not '" + kind + "'");
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    Figures figures = measure(options.text("connect"), "/benchmark/free-" + kind, n, warmup);
    std::cout << "peer=docent work=free kind=" << kind << " n=" << n << " warmup=" << warmup;
    print(std::move(figures));
}

void run_rtt(const Options& options) {
    const int n = options.number("n");
    docent::Client client{{.connect_string = options.text("connect"), .session_timeout = 30s}};
    client.start();
    client.wait_connected();
    Durations exists;
    for (int i = 0; i < n; ++i) {
        const auto begin = steady_clock::now();
        client.exists("/zookeeper");
        exists.add(steady_clock::now() - begin);
    }
    std::cout << "peer=docent work=rtt n=" << n << " exists_p50_us=" << exists.at(0.5) << std::endl;
}
