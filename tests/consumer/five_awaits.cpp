// SPDX-License-Identifier: Apache-2.0
// compile_time.sh measures this program: five calls as coroutines.
#include <docent/docent.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace asio = boost::asio;

static asio::awaitable<void> work(docent::Client& client) {
    co_await client.async_wait_connected({}, asio::use_awaitable);
    co_await client.async_create("/a", "data", {}, asio::use_awaitable);
    docent::InterProcessMutex mutex{client, "/lock"};
    docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
    co_await client.async_get("/a", asio::use_awaitable);
    co_await lease.async_release(asio::use_awaitable);
}

int main() {
    asio::io_context context;
    docent::Client client{context.get_executor(), {.connect_string = "127.0.0.1:2181"}};
    client.start();
    asio::co_spawn(context, work(client), asio::detached);
    context.run();
}
