// SPDX-License-Identifier: Apache-2.0
#include "common/durations.hpp"
#include "works.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

struct Figures {
    Durations acquire;
    Durations release;
};

/// Releases a lock, and waits for the server.
using Release = std::function<void()>;
using Acquire = std::function<Release()>;

template <typename Held> Release releasing(Held held) {
    return [lease = std::make_shared<Held>(std::move(held))] { lease->release(); };
}

Release releasing_all(std::vector<docent::Lease> held) {
    return [leases = std::make_shared<std::vector<docent::Lease>>(std::move(held))] {
        std::vector<std::future<void>> released;
        for (docent::Lease& lease : *leases) released.push_back(lease.async_release(boost::asio::use_future));
        for (auto& each : released) each.get();
    };
}

using Kind = Acquire (*)(docent::Client&, const std::string& path);
const std::map<std::string, Kind> kinds = {
    {"mutex",
     [](docent::Client& client, const std::string& path) -> Acquire {
         return [lock = std::make_shared<docent::InterProcessMutex>(client, path)] { return releasing(lock->acquire()); };
     }},
    {"read",
     [](docent::Client& client, const std::string& path) -> Acquire {
         return [lock = std::make_shared<docent::InterProcessReadWriteLock>(client, path)] {
             return releasing(lock->read_lock().acquire());
         };
     }},
    {"write",
     [](docent::Client& client, const std::string& path) -> Acquire {
         return [lock = std::make_shared<docent::InterProcessReadWriteLock>(client, path)] {
             return releasing(lock->write_lock().acquire());
         };
     }},
    {"semaphore",
     [](docent::Client& client, const std::string& path) -> Acquire {
         return
             [lock = std::make_shared<docent::InterProcessSemaphore>(client, path, 5)] { return releasing(lock->acquire()); };
     }},
    {"semaphore3",
     [](docent::Client& client, const std::string& path) -> Acquire {
         return [lock = std::make_shared<docent::InterProcessSemaphore>(client, path, 5)] {
             return releasing_all(lock->acquire(3));
         };
     }},
    {"multi3",
     [](docent::Client& client, const std::string& path) -> Acquire {
         const std::vector<std::string> paths{path + "/a", path + "/b", path + "/c"};
         return [lock = std::make_shared<docent::InterProcessMultiLock>(client, paths)] { return releasing(lock->acquire()); };
     }},
};

Kind find_kind(const std::string& name) {
    if (const auto kind = kinds.find(name); kind != kinds.end()) return kind->second;
    std::string known;
    for (const auto& [each, kind] : kinds) known += (known.empty() ? "" : ", ") + each;
    throw std::invalid_argument("--kind is one of " + known + ", not '" + name + "'");
}

Figures measure(const std::string& connect_string, const std::string& path, Kind kind, int n, int warmup) {
    docent::Client client{{.connect_string = connect_string, .session_timeout = 30s}};
    client.start();
    const Acquire acquire = kind(client, path);
    Figures figures;
    for (int i = -warmup; i < n; ++i) { // the warm-up also creates the parent
        const auto begin = steady_clock::now();
        const Release release = acquire();
        const auto acquired = steady_clock::now();
        release();
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
    Figures figures = measure(options.text("connect"), "/benchmark/uncontended", find_kind("mutex"), n, warmup);
    std::cout << "peer=docent work=uncontended n=" << n << " warmup=" << warmup;
    print(std::move(figures));
}

void run_free(const Options& options) {
    const std::string kind = options.text("kind");
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    Figures figures = measure(options.text("connect"), "/benchmark/free-" + kind, find_kind(kind), n, warmup);
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
