// SPDX-License-Identifier: Apache-2.0

// A timeout that is too large means no limit.

#include "servers/pooled_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>

namespace docent {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::system_clock;

class DeadlinesTest : public ::testing::Test {
protected:
    docent::test::PooledServer server;
    Client client{{.connect_string = server.connect_string(), .connection_timeout = milliseconds::max()}};
    Client other{{.connect_string = server.connect_string()}};
};

TEST_F(DeadlinesTest, WithoutAConnection) {
    auto bounded = client.async_get("/", {}, {.timeout = milliseconds::max()}, asio::use_future);
    auto unbounded = client.async_exists("/", asio::use_future);
    auto connected = client.async_wait_connected(CallOptions{.timeout = milliseconds::max()}, asio::use_future);
    InterProcessMutex mutex(client, "/lock");
    auto acquired = mutex.async_acquire({.timeout = milliseconds::max()}, asio::use_future);
    client.start();
    EXPECT_NO_THROW(bounded.get());
    EXPECT_NO_THROW(unbounded.get());
    EXPECT_NO_THROW(connected.get());
    EXPECT_TRUE(acquired.get().owns());
}

TEST_F(DeadlinesTest, WhileALockIsHeld) {
    client.start();
    other.start();
    InterProcessMutex mutex(client, "/lock");
    InterProcessMutex others(other, "/lock");
    Lease held = others.acquire();
    auto with_timeout = mutex.async_acquire({.timeout = milliseconds::max()}, asio::use_future);
    auto tried_for = mutex.async_try_acquire_for(hours::max(), asio::use_future);
    auto locked = std::async(std::launch::async, [&mutex] {
        const bool got = mutex.try_lock_until(system_clock::time_point::max());
        if (got) mutex.unlock();
        return got;
    });
    EXPECT_EQ(with_timeout.wait_for(milliseconds{100}), std::future_status::timeout);
    held.release();
    with_timeout.get().release();
    tried_for.get().release();
    EXPECT_TRUE(locked.get());
    EXPECT_TRUE(mutex.try_lock_until(system_clock::time_point::min())) << "a time that is over is a try";
    mutex.unlock();
}

} // namespace
} // namespace docent
