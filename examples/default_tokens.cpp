// SPDX-License-Identifier: Apache-2.0
// Objects with a default completion token: the code of docs/client/client.md.
// Usage: default_tokens [CONNECT_STRING]; without a connect string it starts a server.

#include "example_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <iostream>
#include <string>
#include <utility>

namespace asio = boost::asio;

static asio::awaitable<bool> read_and_lock(asio::io_context& io, std::string servers) {
    // [default-tokens]
    constexpr auto as_result = asio::as_tuple(asio::use_awaitable);
    docent::Client made{io.get_executor(), {.connect_string = servers}};
    auto client = as_result.as_default_on(std::move(made));
    client.start();
    auto [ec, node] = co_await client.async_get("/x");
    const bool missing = ec == docent::server_error::no_node;

    const std::string path = "/examples/default-tokens";
    auto mutex = as_result.as_default_on(docent::InterProcessMutex{client, path});
    auto [not_acquired, lease] = co_await mutex.async_acquire();
    // [default-tokens]
    const bool held = !not_acquired && lease.owns();
    co_await lease.async_release(asio::use_awaitable);
    co_await client.async_close();
    co_return missing&& held;
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    asio::io_context io;
    bool good = false;
    asio::co_spawn(io, read_and_lock(io, server.connect_string()),
                   [&](const std::exception_ptr& failure, bool result) { good = !failure && result; });
    io.run();
    std::cout << (good ? "read and locked without a token\n" : "failed\n");
    return good ? 0 : 1;
}
