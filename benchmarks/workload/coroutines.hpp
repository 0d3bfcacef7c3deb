// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the works have in common that run all clients as coroutines on one thread.

#include "works.hpp"

#include <docent/client.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <functional>

namespace asio = boost::asio;

/// Runs the coroutine `work(client)`, and closes the client when it has ended.
void run_with_client(const Options& options, const auto& work) {
    asio::io_context io{1};
    docent::Client client{io.get_executor(), client_config(options)};
    client.start();
    asio::co_spawn(io, work(client), [&](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // run() throws it
        client.close();
    });
    io.run();
}

/// Runs the coroutines `make(i)` side by side, for `i` below `count`, and waits for all.
inline asio::awaitable<void> run_side_by_side(int count, std::function<asio::awaitable<void>(int)> make) {
    if (count == 0) co_return;
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer all_done{executor, asio::steady_timer::time_point::max()};
    int left = count;
    for (int i = 0; i < count; ++i) {
        asio::co_spawn(executor, make(i), [&](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure); // run() throws it
            if (--left == 0) all_done.cancel();
        });
    }
    boost::system::error_code ignored; // the timer is cancelled
    co_await all_done.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}
