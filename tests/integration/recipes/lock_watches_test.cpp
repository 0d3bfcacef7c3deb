// SPDX-License-Identifier: Apache-2.0

// A waiter leaves no watch on the server, however its wait ended.

#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <stop_token>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;

class LockWatches : public ProxiedTest {
protected:
    std::int64_t on_server() const { return server.metric("zk_watch_count"); }
    bool reaches(std::int64_t count) {
        return eventually([&] { return on_server() == count; });
    }
    /// Makes the node of a holder without watches; the waiters' nodes come behind it.
    std::string held_by_another_one(const std::string& prefix) {
        return other.create(prefix, "", {.mode = CreateMode::ephemeral_sequential, .parents = Parents::container}).path;
    }
    /// Waits until so many watches are set, then gives up. The watched node exists all the time.
    template <typename Lock> void expect_none_after_a_wait(Lock& lock, std::int64_t while_it_waits) {
        std::stop_source stop;
        auto waiting = lock.async_acquire({.stop = stop.get_token()}, use_future);
        EXPECT_TRUE(reaches(while_it_waits)) << on_server();
        stop.request_stop();
        EXPECT_THROW(std::ignore = waiting.get(), boost::system::system_error);
        EXPECT_TRUE(reaches(0)) << on_server();
        EXPECT_FALSE(lock.try_acquire_for(20ms));
        EXPECT_TRUE(reaches(0)) << on_server();
        EXPECT_FALSE(lock.try_acquire());
        EXPECT_TRUE(reaches(0)) << on_server();
    }
};

TEST_F(LockWatches, AWaiterThatGivesUpLeavesNone) {
    held_by_another_one("/mutex/_c_x-lock-");
    InterProcessMutex mutex(client, "/mutex");
    expect_none_after_a_wait(mutex, 2); // the watches of its node and of the node ahead

    held_by_another_one("/rw/_c_x-__WRIT__");
    InterProcessReadWriteLock lock(client, "/rw");
    expect_none_after_a_wait(lock.read_lock(), 2);
    expect_none_after_a_wait(lock.write_lock(), 2);

    InterProcessMultiLock multi{client, {"/free", "/mutex"}};
    expect_none_after_a_wait(multi, 3); // meanwhile it holds the first lock
}

TEST_F(LockWatches, AWaiterOfASemaphoreLeavesNone) {
    InterProcessSemaphore semaphore(client, "/s", 1);
    held_by_another_one("/s/leases/_c_x-lease-");
    expect_none_after_a_wait(semaphore, 2); // the watches of the gate's node and of the leases
    held_by_another_one("/s/locks/_c_x-lock-");
    expect_none_after_a_wait(semaphore, 2); // the same as for a mutex
}

/// The waiter gives up while the answers that confirm its watches are under way.
TEST_F(LockWatches, AWaiterThatGivesUpWhileTheyAreSetLeavesNone) {
    held_by_another_one("/mutex/_c_x-lock-");
    InterProcessMutex mutex(client, "/mutex");
    const auto before = proxy.requests(Opcode::get);
    proxy.on_forwarded(Opcode::get, [this] { proxy.black_hole(Direction::to_client); });
    std::stop_source stop;
    auto waiting = mutex.async_acquire({.stop = stop.get_token()}, use_future);
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::get) == before + 2; }));
    ASSERT_TRUE(reaches(2));
    stop.request_stop();
    EXPECT_THROW(std::ignore = waiting.get(), boost::system::system_error);
    proxy.heal();
    client.sync();
    EXPECT_TRUE(reaches(0)) << on_server();
}

TEST_F(LockWatches, AClosedValueLeavesNone) {
    {
        SharedCount count(client, "/count", 3);
        count.start();
        InterProcessSemaphore semaphore(client, "/s", count);
        std::ignore = semaphore.acquire();
        EXPECT_TRUE(reaches(1)) << on_server();
    }
    EXPECT_TRUE(reaches(0)) << on_server();
}

} // namespace
} // namespace docent
