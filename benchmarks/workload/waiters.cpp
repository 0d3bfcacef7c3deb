// SPDX-License-Identifier: Apache-2.0
#include "common/process_status.hpp"
#include "works.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto queue_path = "/benchmark/waiters";

asio::awaitable<void> wait_in_line(docent::InterProcessMutex& mutex) {
    const docent::Lease lease = co_await mutex.async_acquire(); // without another coroutine
}

struct Result {
    double kib_per_waiter;
    long threads;
};

asio::awaitable<Result> measure(asio::io_context& io, docent::Client& client, docent::InterProcessMutex& mutex, int n) {
    const docent::Lease held = co_await mutex.async_acquire(asio::use_awaitable);
    const long before = process_status("RssAnon");
    for (int i = 0; i < n; ++i) asio::co_spawn(io, wait_in_line(mutex), asio::detached);

    asio::steady_timer timer{io};
    const auto all = static_cast<std::size_t>(n) + 1;
    while ((co_await client.async_children(queue_path, asio::use_awaitable)).names.size() < all) {
        timer.expires_after(50ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
    co_await client.async_sync("/", asio::use_awaitable); // after this, all earlier replies have been read
    co_return Result{static_cast<double>(process_status("RssAnon") - before) / n, process_status("Threads")};
}

} // namespace

void run_waiters(const Options& options) {
    const int n = options.number("n");
    if (n == 0) throw std::invalid_argument("--n needs at least one waiter");
    asio::io_context io{1};
    docent::Client client{io.get_executor(), {.connect_string = options.text("connect"), .session_timeout = 30s}};
    client.start();
    docent::InterProcessMutex mutex{client, queue_path}; // one object for all waiters
    asio::co_spawn(io, measure(io, client, mutex, n), [&](const std::exception_ptr& failure, Result result) {
        if (failure) std::rethrow_exception(failure); // run() throws it
        std::cout << "peer=docent work=waiters n=" << n << " kib_per_waiter=" << result.kib_per_waiter
                  << " threads=" << result.threads << std::endl;
        client.close();
    });
    io.run();
}
