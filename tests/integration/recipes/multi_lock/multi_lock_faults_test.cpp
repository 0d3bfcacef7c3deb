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
