// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "waiting_options.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>

#include <atomic>
#include <iostream>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <vector>

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

constexpr int turns_per_look = 64; // one look at the clock in so many turns

/// Takes the turns of one thread. `nanoseconds` gets the time of one turn in `turns_per_look`.
std::int64_t lock_and_unlock(docent::InterProcessMutex& lock, const Window& window, std::vector<std::int64_t>& nanoseconds) {
    std::int64_t turns = 0;
    while (!window.is_over()) {
        const auto begin = steady_clock::now();
        std::ignore = lock.acquire();
        if (!window.is_open()) continue;
        nanoseconds.push_back((steady_clock::now() - begin).count());
        for (int i = 1; i < turns_per_look; ++i) std::ignore = lock.acquire(); // the lease ends at once
        turns += turns_per_look;
    }
    return turns;
}

std::int64_t median(std::vector<std::int64_t> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// A lock object of the measured kind.
struct KeptLock {
    KeptLock(docent::Client& client, const std::string& kind, const docent::LockOptions& options)
        : sides(client, "/benchmark/kept-" + kind, options), mutex(client, "/benchmark/kept-" + kind, options),
          reads(kind == "read") {}
    docent::InterProcessMutex& measured() { return reads ? sides.read_lock() : mutex; }

    docent::InterProcessReadWriteLock sides;
    docent::InterProcessMutex mutex;
    bool reads;
};

/// Measures how long it takes to get a free lock. The time of `before` does not count.
template <typename Before> Durations measure_acquires(docent::InterProcessMutex& lock, int n, Before before) {
    Durations result;
    for (int i = -n / 10 - 1; i < n; ++i) { // a tenth more for the warm-up
        before();
        const auto begin = steady_clock::now();
        docent::Lease lease = lock.acquire();
        if (i >= 0) result.add(steady_clock::now() - begin);
        lease.release();
    }
    return result;
}

std::string kind_of(const Options& options) {
    const std::string kind = options.text("kind", "mutex");
    if (kind != "mutex" && kind != "read") throw std::invalid_argument("--kind is mutex or read, not '" + kind + "'");
    return kind;
}

} // namespace

void run_kept(const Options& options) {
    const std::string kind = kind_of(options);
    const int threads = options.number("threads", 1);
    const std::string objects = options.text("objects", "each");
    if (objects != "one" && objects != "each") throw std::invalid_argument("--objects is one or each, not '" + objects + "'");
    docent::Client client{client_config(options)};
    client.start();
    client.wait_connected();
    const docent::LockOptions lock_options = waiting_options(options);
    const Window window{options};
    std::atomic<std::int64_t> turns = 0;
    std::vector<std::vector<std::int64_t>> nanoseconds(static_cast<std::size_t>(threads));
    {
        KeptLock one(client, kind, lock_options);
        std::vector<std::jthread> all;
        all.reserve(nanoseconds.size());
        for (auto& each : nanoseconds) {
            all.emplace_back([&] {
                std::optional<KeptLock> own;
                if (objects == "each") own.emplace(client, kind, lock_options);
                turns += lock_and_unlock((own ? *own : one).measured(), window, each);
            });
        }
    }
    std::cout << "peer=docent work=kept kind=" << kind << " threads=" << threads << " objects=" << objects
              << " keep_ms=" << options.number("keep-ms", 0) << " per_s=" << window.per_second(turns)
              << " p50_ns=" << median(nanoseconds.front()) << std::endl;
}

/// The keeper keeps a mutex, or a read lock that a writer recalls.
void run_recall(const Options& options) {
    const int n = options.number("n");
    const bool reads = kind_of(options) == "read";
    docent::Client keeper{client_config(options)};
    docent::Client other{client_config(options)};
    keeper.start();
    other.start();
    docent::InterProcessReadWriteLock kept_sides{keeper, "/benchmark/recalled-read", waiting_options(options)};
    docent::InterProcessReadWriteLock sides{other, "/benchmark/recalled-read"};
    docent::InterProcessReadWriteLock free_sides{other, "/benchmark/not-kept-read"};
    docent::InterProcessMutex kept_mutex{keeper, "/benchmark/recalled", waiting_options(options)};
    docent::InterProcessMutex mutex{other, "/benchmark/recalled"};
    docent::InterProcessMutex free_mutex{other, "/benchmark/not-kept"};

    docent::InterProcessMutex& kept = reads ? kept_sides.read_lock() : kept_mutex;
    Durations free = measure_acquires(reads ? free_sides.write_lock() : free_mutex, n, [] {});
    Durations recalled = measure_acquires(reads ? sides.write_lock() : mutex, n, [&] {
        std::ignore = kept.acquire(); // the lease ends, and the node is kept
        keeper.sync("/");             // after this, the keeper knows that no other client waits
    });
    std::cout << "peer=docent work=recall kind=" << (reads ? "read" : "mutex") << " n=" << n
              << " keep_ms=" << options.number("keep-ms", 0) << " free_p50_us=" << free.at(0.5)
              << " recalled_p50_us=" << recalled.at(0.5) << " more_us=" << recalled.at(0.5) - free.at(0.5) << std::endl;
}
