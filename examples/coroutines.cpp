// SPDX-License-Identifier: Apache-2.0
// The locking example with coroutines: one thread and one io_context; no thread waits.
// Usage: coroutines [CONNECT_STRING]. Without an argument, the program starts a server.

#include "example_server.hpp"
#include "fake_limited_resource.hpp"

#include <docent/docent.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <iostream>

namespace asio = boost::asio;
using namespace std::chrono_literals;

constexpr int clients = 5;
constexpr int turns = 50;

asio::awaitable<void> take_turns(asio::io_context& io, const std::string& connect_string, FakeLimitedResource& resource) {
    docent::Client client{io.get_executor(), {.connect_string = connect_string}}; // runs on this io_context
    client.start();
    docent::InterProcessMutex mutex{client, "/examples/coroutines"};
    asio::steady_timer timer{io};

    for (int turn = 0; turn < turns; ++turn) {
        docent::Lease lease = co_await mutex.async_try_acquire_for(30s, asio::use_awaitable);
        resource.enter();
        timer.expires_after(1ms); // the work: anything asynchronous, until the stop token fires
        co_await timer.async_wait(asio::use_awaitable);
        resource.leave();
        if (!lease.owns()) throw std::runtime_error("the lock was lost");
        co_await lease.async_release(asio::use_awaitable); // or destroy the lease: its destructor schedules the release
    }
    co_await client.async_close(asio::use_awaitable);
}

int main(int argc, char** argv) {
    const ExampleServer server(argc, argv);
    FakeLimitedResource resource;
    asio::io_context io;
    for (int i = 0; i < clients; ++i) {
        asio::co_spawn(io, take_turns(io, server.connect_string(), resource), [](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure); // leaves through run()
        });
    }
    try {
        io.run();
    } catch (const std::exception& e) {
        std::cerr << e.what() << '\n';
        return 1;
    }
    std::cout << "the resource was used " << resource.uses() << " times, never by two at once\n";
    return resource.uses() == clients * turns ? 0 : 1;
}
