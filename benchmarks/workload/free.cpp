// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "works.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

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

} // namespace

void run_free(const Options& options) {
    const std::string kind = options.text("kind", "mutex");
    const Kind make = find_kind(kind);
    Cycles cycles(options);
    docent::Client client{client_config(options)};
    client.start();
    const Acquire acquire = make(client, "/benchmark/free-" + kind);
    Release release;
    cycles.measure([&] { release = acquire(); }, [&] { std::exchange(release, nullptr)(); });
    std::cout << "peer=docent work=free kind=" << kind << " " << cycles << std::endl;
}

void run_rtt(const Options& options) {
    const int n = options.number("n");
    docent::Client client{client_config(options)};
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
