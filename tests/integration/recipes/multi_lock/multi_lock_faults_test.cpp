// SPDX-License-Identifier: Apache-2.0
#include "multi_lock_fixture.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/thread/thread.hpp>

#include <gtest/gtest.h>

#include <future>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::Opcode;

TEST_F(MultiLockTest, InterruptedStoppedOrCancelledWaitersLeaveNoNode) {
    const Lease held = taken("/b");
    boost::thread interrupted([&] {
        std::ignore = mine.acquire();
        ADD_FAILURE() << "acquired";
    });
    ASSERT_TRUE(waits_for_b());
    interrupted.interrupt();
    interrupted.join();
    EXPECT_TRUE(queues_reach({0, 1, 0}));

    std::stop_source stop;
    auto stopped = mine.async_acquire({.stop = stop.get_token()}, boost::asio::use_future);
    ASSERT_TRUE(waits_for_b());
    stop.request_stop();
    EXPECT_THROW(std::ignore = stopped.get(), boost::system::system_error);
    EXPECT_TRUE(queues_reach({0, 1, 0}));

    asio::cancellation_signal signal;
    std::promise<error_code> cancelled;
    mine.async_acquire(
        asio::bind_cancellation_slot(signal.slot(), [&](error_code ec, const MultiLease&) { cancelled.set_value(ec); }));
    ASSERT_TRUE(waits_for_b());
    signal.emit(asio::cancellation_type::total);
    EXPECT_EQ(cancelled.get_future().get(), asio::error::operation_aborted);
    EXPECT_TRUE(queues_reach({0, 1, 0}));
}

TEST_F(MultiLockTest, CloseEndsTheWait) {
    const Lease held = taken("/b");
    auto all = acquire();
    ASSERT_TRUE(waits_for_b());
    client.close();
    EXPECT_THROW(std::ignore = all.get(), boost::system::system_error);
    EXPECT_TRUE(queues_reach({0, 1, 0}));
    error_code ec;
    EXPECT_EQ(mine.acquire(ec).failures().size(), 3U);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(MultiLockTest, DeadlinesCountForTheNetworkToo) {
    const auto began = std::chrono::steady_clock::now();
    proxy.black_hole();
    EXPECT_FALSE(mine.try_acquire_for(50ms));
    proxy.refuse();
    proxy.cut();
    ASSERT_TRUE(eventually([&] { return client.session().state != SessionState::connected; }));
    error_code ec;
    EXPECT_FALSE(mine.try_acquire_for(50ms, ec));
    EXPECT_EQ(ec, error::not_connected);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 15s) << "the timeout of a connection";
    proxy.heal();
    EXPECT_TRUE(queues_reach({0, 0, 0}));
}

TEST_F(MultiLockTest, LostRepliesAreResolved) {
    mine.acquire().release();
    for (const auto cut : {&testing::FaultProxy::cut_before_request, &testing::FaultProxy::cut_before_reply}) {
        for (const Opcode opcode : {Opcode::create2, Opcode::children2}) {
            (proxy.*cut)(opcode);
            MultiLease lease = mine.acquire();
            EXPECT_TRUE(lease.owns());
            EXPECT_TRUE(queues_reach({1, 1, 1}));
            lease.release();
            proxy.heal();
            EXPECT_TRUE(queues_reach({0, 0, 0}));
        }
    }
}

struct MultiLockRestart : MultiLockTest {
    MultiLockRestart() : MultiLockTest(Sessions::outlast_restarts) {}
};

TEST_F(MultiLockRestart, LeavesAWaiterItsPlaceAndItsLocks) {
    Lease held = taken("/b");
    auto all = acquire();
    ASSERT_TRUE(waits_for_b());
    const auto first = nodes("/a");
    const auto second = nodes("/b");
    server.restart();
    EXPECT_EQ(nodes("/a"), first);
    EXPECT_EQ(nodes("/b"), second);
    held.release();
    const MultiLease lease = all.get();
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(lease.leases()[1].node_path(), "/a/" + first.front());
}

TEST_F(MultiLockTest, AnotherSessionStartsOver) {
    Lease held = taken("/b");
    auto all = acquire();
    ASSERT_TRUE(waits_for_b());
    const auto first = nodes("/a");
    client.renew_session();
    ASSERT_TRUE(eventually([&] { return nodes("/a").size() == 1 && nodes("/a") != first && nodes("/b").size() == 2; }));
    EXPECT_TRUE(waits(all));
    held.release();
    EXPECT_TRUE(all.get().owns());
}

TEST_F(MultiLockTest, LockThatIsLostMeanwhileIsAcquiredAnew) {
    Lease held = taken("/b");
    auto all = acquire();
    ASSERT_TRUE(waits_for_b());
    const auto first = nodes("/a");
    client.sync();
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::get) >= 3; })) << "it watches what it holds, too";
    client.sync();
    other.remove("/a/" + first.front());
    ASSERT_TRUE(eventually([&] { return nodes("/a").size() == 1 && nodes("/a") != first && nodes("/b").size() == 2; }));
    held.release();
    EXPECT_TRUE(all.get().owns());
}

TEST_F(MultiLockTest, LosingOneIsToldAndTheRestIsReleased) {
    MultiLease lease = mine.acquire();
    std::promise<void> told;
    std::stop_callback on_stop(lease.stop_token(), [&] { told.set_value(); });
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::get) >= 3; })) << "with the first heartbeat";
    client.sync();
    other.remove(lease.leases()[2].node_path());
    EXPECT_EQ(told.get_future().wait_for(generous), std::future_status::ready);
    EXPECT_FALSE(lease.owns());
    EXPECT_TRUE(lease.leases()[0].owns());
    try {
        lease.release();
        FAIL();
    } catch (const MultiLockError& e) {
        EXPECT_EQ(e.failures(), (std::vector<LockFailure>{{"/c", error::lease_lost}}));
    }
    EXPECT_TRUE(queues_reach({0, 0, 0}));
}

} // namespace
} // namespace docent
