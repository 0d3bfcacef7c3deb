// SPDX-License-Identifier: Apache-2.0
// compile_time.sh compares the other programs with this one.
#include <boost/asio.hpp>

#include <chrono>

namespace asio = boost::asio;

static asio::awaitable<void> wait_a_second() {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::seconds(1));
    co_await timer.async_wait(asio::use_awaitable);
}

int main() {
    asio::io_context context;
    asio::co_spawn(context, wait_a_second(), asio::detached);
    context.run();
}
