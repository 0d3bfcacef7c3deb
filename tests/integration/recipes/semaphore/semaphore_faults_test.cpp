// SPDX-License-Identifier: Apache-2.0
#include "semaphore_fixture.hpp"
#include "servers/pooled_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/thread/thread.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;
using docent::testing::Opcode;
using Permits = std::vector<Lease>;

error_code error_of(std::future<Lease>& future) {
    try {
        std::ignore = future.get();
    } catch (const boost::system::system_error& e) {
        return e.code();
    }
    return {};
}

TEST_F(SemaphoreTest, EndedWaitsLeaveNothing) {
    const Permits all = theirs.acquire(3);
    const auto waiting_at_the_gate = mine.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));

    EXPECT_FALSE(mine.try_acquire_for(50ms)) << "behind the gate";
    boost::asio::cancellation_signal signal;
    // Without an exception: ThreadSanitizer does not see how the owners of an exception are counted, and holds up all threads for
    // up to a minute before it suppresses its report.
    const auto cancelled = std::make_shared<std::promise<error_code>>();
    mine.async_acquire(boost::asio::bind_cancellation_slot(
        signal.slot(), [cancelled](error_code ec, const Lease&) { cancelled->set_value(ec); }));
    ASSERT_TRUE(reaches(2, 4));
    signal.emit(boost::asio::cancellation_type::terminal);
    EXPECT_EQ(cancelled->get_future().get(), boost::asio::error::operation_aborted);
    ASSERT_TRUE(reaches(1, 4));
    std::stop_source stop;
    auto stopped = std::async(std::launch::async, [&] {
        error_code ec;
        std::ignore = mine.acquire(2, ec, {.stop = stop.get_token()});
        return ec;
    });
    ASSERT_TRUE(reaches(2, 4));
    stop.request_stop();
    EXPECT_EQ(stopped.get(), boost::asio::error::operation_aborted);
    EXPECT_TRUE(reaches(1, 4));
}

TEST_F(SemaphoreTest, InterruptedWaitLeavesNothing) {
    const Permits all = theirs.acquire(3);
    std::atomic<bool> interrupted = false;
    boost::thread thread([&] {
        try {
            std::ignore = mine.acquire();
        } catch (const boost::thread_interrupted&) {
            interrupted = true;
        }
    });
    ASSERT_TRUE(reaches(1, 4));
    thread.interrupt();
    thread.join();
    EXPECT_TRUE(interrupted);
    EXPECT_TRUE(reaches(0, 3));
}

struct SemaphoreRestart : SemaphoreTest {
    SemaphoreRestart() : SemaphoreTest(Sessions::outlast_restarts) {}
};

TEST_F(SemaphoreRestart, LeavesWaitersTheirPlaces) {
    Permits all = theirs.acquire(3);
    auto inside = mine.async_acquire(use_future); // has the gate
    ASSERT_TRUE(reaches(1, 4));
    auto behind = mine.async_acquire(use_future);
    ASSERT_TRUE(reaches(2, 4));
    const auto gate = children("/s/locks");
    const auto leases = children("/s/leases");
    server.restart();
    const auto gate_after = children("/s/locks");
    const auto leases_after = children("/s/leases");
    EXPECT_TRUE(std::is_permutation(gate.begin(), gate.end(), gate_after.begin(), gate_after.end()));
    EXPECT_TRUE(std::is_permutation(leases.begin(), leases.end(), leases_after.begin(), leases_after.end()));
    all.pop_back();
    const Lease first = inside.get();
    EXPECT_NE(std::find(leases.begin(), leases.end(), std::string(node_name(first.node_path()))), leases.end());
    all.pop_back();
    EXPECT_TRUE(behind.get().owns());
}

TEST_F(SemaphoreTest, PermitsEndWithTheSession) {
    const Permits mine_all = mine.acquire(3);
    auto next = theirs.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));
    std::latch stopped(1);
    const std::stop_callback on_stop(mine_all.front().stop_token(), [&] { stopped.count_down(); });
    client.renew_session();
    stopped.wait();
    EXPECT_TRUE(next.get().owns());
    EXPECT_FALSE(mine_all.back().owns());
}

/// All its nodes are containers, and this server removes empty containers at once.
TEST(SemaphoreParents, MayGoAtAnyTime) {
    docent::test::PooledServer server{{.java_options = {"-Dznode.container.checkIntervalMs=1"}}};
    Client client{{.connect_string = server.connect_string()}};
    client.start();
    InterProcessSemaphore semaphore(client, "/s", 2);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(semaphore.acquire(2).size(), 2u) << i;
    EXPECT_TRUE(eventually([&] { return !client.exists("/s"); }));
}

TEST_F(SemaphoreTest, ForbiddenSemaphoreIsAnErrorNotAHang) {
    other.create("/s/leases", "", {.parents = Parents::container, .acl = {{Permission::read, "world", "anyone"}}});
    error_code ec;
    std::ignore = mine.acquire(ec);
    EXPECT_EQ(ec, server_error::no_auth);
    EXPECT_TRUE(reaches(0, 0));
}

/// Another contender is at the gate, and the permits may not be read: the try cannot wait for them.
TEST_F(SemaphoreTest, TryAcquireSaysThatTheLeasesMayNotBeRead) {
    other.create("/s", "");
    other.create("/s/locks", "");
    other.create("/s/leases", "", {.acl = {AclEntry{Permission::create | Permission::delete_}}});
    other.create("/s/locks/lock-", "", {.mode = CreateMode::ephemeral_sequential});
    error_code ec;
    auto outcome = std::async(std::launch::async, [&] { return mine.try_acquire(ec).has_value(); });
    ASSERT_EQ(outcome.wait_for(60s), std::future_status::ready) << "it hangs";
    EXPECT_FALSE(outcome.get());
    EXPECT_EQ(ec, server_error::no_auth);
    EXPECT_TRUE(eventually([&] { return children("/s/locks").size() == 1; })) << "its place at the gate is left";
}

TEST_F(SemaphoreTest, OfAClientThatWasNotStarted) {
    Client idle{{.connect_string = server.connect_string(), .connection_timeout = 50ms}};
    InterProcessSemaphore semaphore(idle, "/s", 3);
    error_code ec;
    EXPECT_FALSE(semaphore.acquire(ec));
    EXPECT_EQ(ec, error::not_started);
    EXPECT_TRUE(semaphore.acquire(2, ec).empty());
    EXPECT_EQ(ec, error::not_started);
    EXPECT_FALSE(semaphore.try_acquire_for(1h, ec));
    EXPECT_EQ(ec, error::not_started);
    auto waiting = semaphore.async_acquire(use_future);
    EXPECT_EQ(error_of(waiting), error::not_started) << "after the connection timeout";
    idle.close();
    EXPECT_FALSE(semaphore.acquire(ec));
    EXPECT_EQ(ec, error::closed);
}

} // namespace
} // namespace docent
