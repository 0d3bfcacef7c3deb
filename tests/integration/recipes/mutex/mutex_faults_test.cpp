// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "mutex_fixture.hpp"
#include "servers/pooled_server.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <latch>
#include <tuple>
#include <utility>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::PooledServer;
using docent::testing::FaultProxy;
using docent::testing::Opcode;
using enum SessionState;

TEST_F(MutexTest, DeletedNodeEndsTheLeaseAndTheWait) {
    Lease held = mutex.acquire();
    auto waiting = std::async(std::launch::async, [&] {
        error_code ec;
        std::ignore = contender.acquire(ec);
        return ec;
    });
    ASSERT_TRUE(queue_reaches(2));
    for (const std::string& name : nodes()) {
        if ("/locks/job/" + name != held.node_path()) other.remove("/locks/job/" + name);
    }
    EXPECT_EQ(waiting.get(), error::lock_node_deleted);

    std::latch stopped(1);
    std::stop_callback on_stop(held.stop_token(), [&] { stopped.count_down(); });
    other.remove(held.node_path());
    stopped.wait();
    EXPECT_FALSE(held.owns());
    EXPECT_EQ(held.state(), LeaseState::lost);
    error_code ec;
    held.release(ec);
    EXPECT_EQ(ec, error::lease_lost);
    EXPECT_EQ(held.async_wait_lost(asio::use_future).wait_for(generous), std::future_status::ready);
}

/// A restart takes a second or two; on a busy machine many seconds.
TEST(Restart, HolderKeepsItsLeaseAndWaiterItsPlace) {
    PooledServer server{{.properties = {{"maxSessionTimeout", "60000"}}}};
    const ClientConfig config{.connect_string = server.connect_string(), .session_timeout = 60s, .connection_timeout = 60s};
    Client client{config};
    Client other{config};
    client.start();
    other.start();
    InterProcessMutex mutex{client, "/locks/job"};
    InterProcessMutex contender{other, "/locks/job"};

    Lease held = mutex.acquire();
    auto watched = other.children_watched("/locks/job");
    auto waiting = std::async(std::launch::async, [&] { return contender.acquire().node_path(); });
    EXPECT_EQ(watched.watch.wait({.timeout = generous}).type, WatchEventType::children_changed);
    const auto before = other.children("/locks/job").names;
    server.restart();
    client.sync("/");
    EXPECT_TRUE(held.owns());
    held.release();
    const std::string granted = waiting.get();
    EXPECT_NE(std::find(before.begin(), before.end(), std::string(node_name(granted))), before.end()) << "the same node";
}

/// With the slow heartbeats of a client that holds nothing, a lease would be uncertain for half of its session timeout.
TEST(Heartbeats, AreFrequentWhileALeaseIsHeld) {
    PooledServer server{{.tick_time = 500ms}};
    FaultProxy proxy{server.port()};
    Client client{
        {.connect_string = proxy.connect_string(), .session_timeout = 4s, .ensemble_tracking = EnsembleTracking::off}};
    client.start();
    const Lease held = InterProcessMutex(client, "/lock").acquire();
    const auto before = proxy.requests(Opcode::sync);
    ASSERT_TRUE(test::eventually([&] { return proxy.requests(Opcode::sync) >= before + 16; })); // a new session is certain, too
    EXPECT_TRUE(test::eventually([&] { return held.remaining() > client.negotiated_timeout() / 2; }));
}

/// The order matters: the holder hears of the loss before the next contender gets the lock.
TEST_F(MutexTest, HolderBehindABlackHoleHearsBeforeTheNextOneIsGranted) {
    Lease held = mutex.acquire();
    auto next = std::async(std::launch::async, [&] {
        Lease lease = contender.acquire();
        return std::pair(std::chrono::steady_clock::now(), lease.fencing_token());
    });
    ASSERT_TRUE(queue_reaches(2));
    std::promise<std::chrono::steady_clock::time_point> told;
    std::stop_callback on_stop(held.stop_token(), [&] { told.set_value(std::chrono::steady_clock::now()); });
    proxy.black_hole();
    const auto told_at = told.get_future().get();
    EXPECT_FALSE(held.owns());
    const auto [granted_at, token] = next.get();
    EXPECT_LT(told_at, granted_at);
    EXPECT_GT(token, held.fencing_token());
    proxy.heal();
}

/// The listener runs on its own executor; the work for the lock runs elsewhere.
TEST_F(MutexTest, ABlockingListenerStopsNoOtherWork) {
    std::latch entered(1);
    std::latch may_go(1);
    bool first = true;
    asio::thread_pool pool{1}; // must end before the variables that its thread uses
    const Subscription subscription = client.listen(
        [&](const SessionEvent&) { // the first event is `suspended`; on a slow machine a loss may be presumed before that
            if (!std::exchange(first, false)) return;
            entered.count_down();
            may_go.wait();
        },
        pool.get_executor());
    proxy.cut();
    entered.wait();
    Lease held = contender.acquire();
    auto waiting = mutex.async_acquire(asio::use_future);
    ASSERT_TRUE(queue_reaches(2));
    held.release();
    EXPECT_TRUE(waiting.get().owns());
    may_go.count_down();
}

TEST_F(MutexTest, ThreadThatLostItsHoldMustUnlockFirst) {
    mutex.lock();
    std::latch stopped(1);
    std::stop_callback on_stop(mutex.stop_token(), [&] { stopped.count_down(); });
    for (const std::string& name : nodes()) other.remove("/locks/job/" + name);
    stopped.wait();
    EXPECT_FALSE(mutex.is_owned_by_current_thread());
    EXPECT_THROW(mutex.lock(), Error);
    EXPECT_THROW(mutex.try_lock(), Error);
    mutex.unlock();
    mutex.lock();
    mutex.unlock();
}

TEST_F(MutexTest, ReleaseGoesOnInTheBackgroundWhenItsRequestIsLost) {
    Lease lease = mutex.acquire();
    proxy.cut_before_request(Opcode::remove);
    lease.release();
    EXPECT_TRUE(queue_reaches(0));
}

} // namespace
} // namespace docent
