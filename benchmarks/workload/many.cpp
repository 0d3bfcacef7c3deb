// SPDX-License-Identifier: Apache-2.0
#include "common/tally.hpp"
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

namespace {

struct Waiters {
    Tally cycles;
    int left;
};

asio::awaitable<void> take_and_release(docent::Client& client, std::string path, Waiters& waiters) {
    docent::InterProcessMutex mutex{client, path};
    while (!waiters.cycles.is_over()) {
        docent::Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
        co_await lease.async_release(asio::use_awaitable);
        waiters.cycles.add();
    }
}

} // namespace

void run_many(const Options& options) {
    const int locks = options.number("locks");
    asio::io_context io{1};
    docent::Client client{io.get_executor(), {.connect_string = options.text("connect"), .session_timeout = 30s}};
    client.start();
    Waiters waiters{.cycles = Tally(options), .left = locks};
    for (int i = 0; i < locks; ++i) {
        const std::string path = "/benchmark/many/" + std::to_string(i);
        asio::co_spawn(io, take_and_release(client, path, waiters), [&](const std::exception_ptr& failure) {
            if (failure) std::rethrow_exception(failure); // run() throws it
            if (--waiters.left == 0) client.close();
        });
    }
    io.run();
    std::cout << "peer=docent work=many locks=" << locks << " " << waiters.cycles << std::endl;
}
