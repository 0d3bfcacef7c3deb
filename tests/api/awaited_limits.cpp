// SPDX-License-Identifier: Apache-2.0

// Awaits with each form of a limit, with AddressSanitizer. GCC 12 destroys objects in braces twice inside a co_await; all these
// forms must be safe. No server is needed: each call ends by its limit.

#include <docent/docent.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <stop_token>
#include <string_view>

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

constexpr auto as_result = asio::as_tuple(asio::use_awaitable);

void check(bool holds, std::string_view what) {
    if (holds) return;
    std::cerr << "this does not hold: " << what << '\n';
    std::exit(1);
}

template <typename Lock> asio::awaitable<void> await_lock(Lock& lock, std::stop_token stop) {
    using docent::CallOptions;
    auto [ec1, lease1] = co_await lock.async_acquire(stop, as_result);
    check(ec1 == asio::error::operation_aborted, "a stop token ends an acquire");
    auto [ec2, lease2] = co_await lock.async_acquire(1ms, as_result);
    check(ec2 && ec2 != asio::error::operation_aborted, "a time ends an acquire");
    auto [ec3, lease3] = co_await lock.async_acquire(CallOptions::within(1h, stop), as_result);
    check(ec3 == asio::error::operation_aborted, "a stop token beside a time ends an acquire");
    auto [ec4, lease4] = co_await lock.async_try_acquire_for(1h, CallOptions::stopped_by(stop), as_result);
    check(ec4 == asio::error::operation_aborted, "a stop token ends a try");
}

asio::awaitable<void> await_each_form(docent::Client& client, std::stop_token stop) {
    docent::InterProcessMutex mutex{client, "/mutex"};
    co_await await_lock(mutex, stop);
    docent::InterProcessReadWriteLock table{client, "/table"};
    co_await await_lock(table.read_lock(), stop);
    co_await await_lock(table.write_lock(), stop);
    docent::InterProcessSemaphoreMutex handover{client, "/handover"};
    co_await await_lock(handover, stop);
    docent::InterProcessMultiLock both{client, {"/a", "/b"}};
    co_await await_lock(both, stop);
    docent::LeaderLatch latch{client, "/election"};
    auto [stopped, lead1] = co_await latch.async_await_leadership(stop, as_result);
    check(stopped == asio::error::operation_aborted, "a stop token ends a wait for the lead");
    auto [over, lead2] = co_await latch.async_await_leadership(1ms, as_result);
    check(over && over != asio::error::operation_aborted, "a time ends a wait for the lead");
    docent::InterProcessSemaphore seats{client, "/seats", 3};
    co_await await_lock(seats, stop);
    auto [ec, two] = co_await seats.async_acquire(2, stop, as_result);
    check(ec == asio::error::operation_aborted, "a stop token ends an acquire of two permits");
    auto [late, others] = co_await seats.async_acquire(2, 1ms, as_result);
    check(late && two.empty() && others.empty(), "a time ends an acquire of two permits");

    auto [unread, data] = co_await client.async_get("/a", {}, docent::CallOptions::within(1h, stop), as_result);
    check(unread == asio::error::operation_aborted, "a stop token ends a read");
}

} // namespace

int main() {
    std::stop_source source;
    source.request_stop();
    asio::io_context io;
    docent::Client client{io.get_executor(), {.connect_string = "127.0.0.1:1"}};
    asio::co_spawn(
        io,
        [&client, &source, &io]() -> asio::awaitable<void> {
            for (int i = 0; i < 3; ++i) co_await await_each_form(client, source.get_token());
            co_await client.async_close(asio::use_awaitable);
            io.stop();
        },
        [](std::exception_ptr failure) {
            if (failure) std::rethrow_exception(failure);
        });
    io.run();
    check(source.stop_requested() && source.get_token().stop_possible(), "the state of the stop source is there");
}
