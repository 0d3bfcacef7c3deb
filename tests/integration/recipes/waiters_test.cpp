// SPDX-License-Identifier: Apache-2.0
// Many coroutines on one client and one thread wait for the same lock.

#include "names_in.hpp"

#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;

#ifdef DOCENT_SANITIZED
constexpr std::size_t waiters = 200; // a thousand lists of a thousand names would keep the only thread from its heartbeats
#else
constexpr std::size_t waiters = 1000;
#endif
constexpr auto path = "/locks/crowded";

std::ptrdiff_t threads_of_this_process() {
    return std::ssize(docent::test::names_in("/proc/self/task"));
}

struct Turns {
    std::vector<std::string> sequences; // ten digits each, in the order of the grants
    std::ptrdiff_t most_threads = 0;
    int inside = 0;
    int overlaps = 0;
    int on_other_threads = 0;
    std::thread::id thread = std::this_thread::get_id();
};

asio::awaitable<void> take_a_turn(InterProcessMutex& mutex, Turns& turns) {
    Lease lease = co_await mutex.async_acquire(asio::use_awaitable);
    if (++turns.inside != 1) ++turns.overlaps;
    if (std::this_thread::get_id() != turns.thread) ++turns.on_other_threads;
    const std::string node = lease.node_path();
    turns.sequences.push_back(node.substr(node.size() - 10));
    turns.most_threads = std::max(turns.most_threads, threads_of_this_process());
    --turns.inside;
    co_await lease.async_release(asio::use_awaitable);
}

asio::awaitable<void> hold_until_all_wait(Client& client, InterProcessMutex& mutex) {
    Lease held = co_await mutex.async_acquire(asio::use_awaitable);
    for (;;) {
        auto watched = co_await client.async_children_watched(path, asio::use_awaitable);
        if (watched.value.names.size() == waiters + 1) break;
        co_await watched.watch.async_wait(asio::use_awaitable);
    }
    co_await held.async_release(asio::use_awaitable);
}

TEST(Waiters, EachGetsTheLockOnceInTheOrderOfItsNumber) {
    const testing::TestingServer server{{.tick_time = 10s}}; // allows sessions of 3 min: the lists keep the thread busy
    const auto threads_before = threads_of_this_process();   // some threads of earlier tests may still be there
    asio::io_context io{1};
    Client client{io.get_executor(), {.connect_string = server.connect_string(), .session_timeout = 3min}};
    client.start();
    InterProcessMutex mutex{client, path};
    Turns turns;
    std::size_t left = waiters + 1;
    const auto one_done = [&](const std::exception_ptr& failure) {
        if (failure) std::rethrow_exception(failure); // throws out of run()
        if (--left == 0) client.close();
    };
    asio::co_spawn(io, hold_until_all_wait(client, mutex), one_done);
    for (std::size_t i = 0; i < waiters; ++i) asio::co_spawn(io, take_a_turn(mutex, turns), one_done);
    io.run();

    EXPECT_EQ(turns.sequences.size(), waiters);
    EXPECT_TRUE(std::is_sorted(turns.sequences.begin(), turns.sequences.end()));
    EXPECT_EQ(std::adjacent_find(turns.sequences.begin(), turns.sequences.end()), turns.sequences.end());
    EXPECT_EQ(turns.overlaps, 0);
    EXPECT_EQ(turns.on_other_threads, 0);
    EXPECT_LE(turns.most_threads, threads_before + 3);
}

} // namespace
} // namespace docent
