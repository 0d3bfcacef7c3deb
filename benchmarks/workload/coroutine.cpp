// SPDX-License-Identifier: Apache-2.0
#include "common/durations.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

struct CoroutineTimes {
    Durations acquire;
    Durations release;
};

asio::awaitable<void> measure(docent::Client& client, int n, int warmup, CoroutineTimes& figures) {
    docent::InterProcessMutex mutex{client, "/benchmark/coroutine"};
    for (int i = -warmup; i < n; ++i) { // the warm-up also creates the parent
        const auto begin = steady_clock::now();
        docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
        const auto acquired = steady_clock::now();
        co_await lease.async_release(asio::use_awaitable);
        const auto released = steady_clock::now();
        if (i < 0) continue;
        figures.acquire.add(acquired - begin);
        figures.release.add(released - acquired);
    }
}

} // namespace

void run_coroutine(const Options& options) {
    const int n = options.number("n");
    const int warmup = options.number("warmup", 10);
    asio::io_context io{1};
    docent::Client client{io.get_executor(), {.connect_string = options.text("connect"), .session_timeout = 30s}};
    client.start();
    CoroutineTimes figures;
    asio::co_spawn(io, measure(client, n, warmup, figures), [&](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // run() throws it
        client.close();
    });
    io.run();
    std::cout << "peer=docent work=coroutine n=" << n << " warmup=" << warmup << " acquire_p50_us=" << figures.acquire.at(0.5)
              << " acquire_p99_us=" << figures.acquire.at(0.99) << " release_p50_us=" << figures.release.at(0.5)
              << " release_p99_us=" << figures.release.at(0.99) << std::endl;
}
