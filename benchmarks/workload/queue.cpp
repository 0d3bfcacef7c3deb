// SPDX-License-Identifier: Apache-2.0
#include "common/figures.hpp"
#include "common/processes.hpp"
#include "coroutines.hpp"
#include "waiting_options.hpp"
#include "works.hpp"

#include <docent/recipes/inter_process_mutex.hpp>

#include <iostream>
#include <optional>
#include <stdexcept>

using namespace std::chrono_literals;

namespace {

constexpr auto line_path = "/benchmark/queue";

struct Queue {
    Window window;
    std::int64_t turns = 0;
    bool over = false;
    std::optional<double> kib_per_waiter = {}; // once all wait
};

/// Takes turn after turn, so that the queue keeps its length.
asio::awaitable<void> stand_in_line(docent::InterProcessMutex& mutex, Queue& queue) {
    while (!queue.over) {
        const docent::Lease lease = co_await mutex.async_acquire(); // without another coroutine
        if (queue.window.is_open()) ++queue.turns;
        queue.over = queue.over || queue.window.is_over();
    }
}

/// Measures the memory that each waiter takes while all wait. Then the waiters may take turns.
asio::awaitable<void> let_all_queue(asio::io_context& io, docent::Client& client, docent::InterProcessMutex& mutex, int n,
                                    Queue& queue) {
    const docent::Lease held = co_await mutex.async_acquire(asio::use_awaitable);
    const long before = process_status("RssAnon");
    for (int i = 0; i < n; ++i) {
        asio::co_spawn(io, stand_in_line(mutex, queue), [](const std::exception_ptr&) {}); // they end with the run
    }
    asio::steady_timer timer{io};
    const auto all = static_cast<std::size_t>(n) + 1;
    while ((co_await client.async_children(line_path, asio::use_awaitable)).names.size() < all) {
        timer.expires_after(50ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
    co_await client.async_sync("/", asio::use_awaitable); // after this, all earlier replies have been read
    queue.kib_per_waiter = static_cast<double>(process_status("RssAnon") - before) / n;
    queue.window.open();
}

} // namespace

void run_queue(const Options& options) {
    const int n = options.number("n");
    if (n == 0) throw std::invalid_argument("--n needs at least one waiter");
    asio::io_context io{1};
    docent::Client client{io.get_executor(), client_config(options)};
    client.start();
    docent::InterProcessMutex mutex{client, line_path, waiting_options(options)}; // one object for all waiters
    Queue queue{.window = Window(options)};
    asio::co_spawn(io, let_all_queue(io, client, mutex, n, queue), [](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // run() throws it
    });
    while (!queue.kib_per_waiter || !queue.over) io.run_one();
    std::cout << "peer=docent work=queue n=" << n << " per_s=" << queue.window.per_second(queue.turns)
              << " kib_per_waiter=" << *queue.kib_per_waiter << " threads=" << process_status("Threads") << std::endl;
    client.close(); // ends the session, and so the queue
    io.run();
}
