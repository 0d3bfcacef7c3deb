// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "ended_waits.hpp"
#include "eventually.hpp"
#include "mutex_fixture.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/thread/thread.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <latch>
#include <mutex>
#include <regex>
#include <thread>
#include <tuple>
#include <utility>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::AnyServer;
using docent::testing::FaultProxy;
using docent::testing::Opcode;
using enum SessionState;

TEST_F(MutexTest, LeavesTheNodesThatCuratorLeaves) {
    {
        Lease lease = mutex.acquire();
        EXPECT_TRUE(lease.owns());
        ASSERT_EQ(nodes().size(), 1u);
        EXPECT_TRUE(std::regex_match(
            nodes().front(),
            std::regex("_c_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-lock-[0-9]{10}")))
            << nodes().front();
        EXPECT_EQ(lease.node_path(), "/locks/job/" + nodes().front());
        const NodeData node = other.get(lease.node_path());
        EXPECT_EQ(node.stat.czxid, lease.fencing_token());
        EXPECT_EQ(node.stat.ephemeral_owner, client.session().session_id);
        EXPECT_FALSE(node.data.empty()) << "the holder's address";
        error_code ec;
        other.create("/locks/job/child-of-nothing/x", "", {}, ec); // parents are ordinary nodes
        lease.release();
        EXPECT_EQ(lease.state(), LeaseState::released);
    }
    EXPECT_TRUE(nodes().empty());
}

TEST_F(MutexTest, StandardLocksWork) {
    {
        std::scoped_lock hold{mutex};
        EXPECT_TRUE(mutex.is_owned_by_current_thread());
        EXPECT_GT(mutex.fencing_token(), 0);
        EXPECT_FALSE(contender.try_lock());
        EXPECT_FALSE(contender.try_lock_for(20ms));
        EXPECT_FALSE(contender.try_lock_until(std::chrono::system_clock::now() + 20ms));
    }
    EXPECT_FALSE(mutex.is_owned_by_current_thread());
    std::unique_lock deferred{contender, std::defer_lock};
    EXPECT_TRUE(deferred.try_lock_for(generous));
    deferred.unlock();
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(MutexTest, ReentrantForItsThreadOnly) {
    mutex.lock();
    const std::int64_t token = mutex.fencing_token();
    mutex.lock();
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_EQ(mutex.fencing_token(), token);
    EXPECT_EQ(nodes().size(), 1u);
    std::thread([&] {
        EXPECT_FALSE(mutex.is_owned_by_current_thread());
        EXPECT_FALSE(mutex.try_lock());
        EXPECT_THROW(mutex.unlock(), Error);
    }).join();
    mutex.unlock();
    mutex.unlock();
    EXPECT_FALSE(contender.try_lock());
    mutex.unlock();
    EXPECT_TRUE(contender.try_lock_for(generous));
    contender.unlock();
    EXPECT_THROW(mutex.unlock(), Error);
}

TEST_F(MutexTest, TheNodeOfAThreadsHoldHasAPath) {
    EXPECT_THROW(mutex.node_path(), Error);
    const std::scoped_lock hold{mutex};
    EXPECT_TRUE(mutex.node_path().starts_with("/locks/job/_c_")) << mutex.node_path();
    EXPECT_EQ(other.exists(mutex.node_path())->czxid, mutex.fencing_token());
    std::thread([&] { EXPECT_THROW(mutex.node_path(), Error); }).join();
}

TEST_F(MutexTest, WaitingForOneselfIsRefused) {
    std::scoped_lock hold{mutex};
    error_code ec;
    std::ignore = mutex.acquire(ec);
    EXPECT_EQ(ec, error::would_deadlock);
}

/// A timeout includes the time for connecting, retries and answers.
TEST_F(MutexTest, DeadlinesCountForTheNetworkToo) {
    const auto began = std::chrono::steady_clock::now();
    proxy.black_hole();
    EXPECT_FALSE(mutex.try_acquire_for(50ms));
    EXPECT_FALSE(mutex.try_lock_for(50ms));
    proxy.refuse();
    proxy.cut();
    ASSERT_TRUE(test::eventually([&] { return client.session().state != SessionState::connected; }));
    error_code ec;
    EXPECT_FALSE(mutex.try_acquire_for(50ms, ec));
    EXPECT_EQ(ec, error::not_connected);
    EXPECT_LT(std::chrono::steady_clock::now() - began, 15s) << "the timeout of a connection";
    proxy.heal();
    EXPECT_TRUE(queue_reaches(0)) << "what was sent nevertheless is removed";
}

TEST_F(MutexTest, HandsOverInOrder) {
    Lease held = mutex.acquire();
    std::mutex guard;
    std::vector<int> order;
    std::vector<std::future<void>> turns;
    for (int i = 0; i < 5; ++i) {
        turns.push_back(std::async(std::launch::async, [&, i] {
            Lease lease = (i % 2 ? mutex : contender).acquire();
            const std::lock_guard lock(guard);
            order.push_back(i);
        }));
        ASSERT_TRUE(queue_reaches(static_cast<std::size_t>(i) + 2));
    }
    held.release();
    for (auto& turn : turns) turn.get();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(MutexTest, InterruptedStoppedOrCancelledWaitersLeaveNoNode) {
    Lease held = mutex.acquire();
    test::expect_ended_waits_leave_nothing(
        contender, [this] { return queue_reaches(2); }, [this] { return queue_reaches(1); });
    EXPECT_TRUE(held.owns());
}

TEST_F(MutexTest, InterruptedThreadsReleaseTheirLocks) {
    Lease lease = mutex.acquire();
    std::latch interrupted(1);
    boost::thread releasing([&] {
        interrupted.wait();
        try {
            lease.release();
        } catch (const boost::thread_interrupted&) { // the removal goes on without the thread
        }
    });
    releasing.interrupt();
    interrupted.count_down();
    releasing.join();
    EXPECT_EQ(lease.state(), LeaseState::released);
    EXPECT_TRUE(queue_reaches(0));

    std::latch locked(1);
    std::latch may_go(1);
    boost::thread unlocking([&] {
        mutex.lock();
        locked.count_down();
        may_go.wait();
        mutex.unlock();
    });
    locked.wait();
    unlocking.interrupt();
    may_go.count_down();
    unlocking.join();
    EXPECT_TRUE(contender.try_lock_for(generous));
    contender.unlock();
}

TEST_F(MutexTest, MovedLeaseIsReleasedOnceByItsDestructorOnAnyThread) {
    auto lease = std::make_unique<Lease>(mutex.acquire());
    std::thread([moved = std::move(*lease)] { EXPECT_TRUE(moved.owns()); }).join();
    EXPECT_FALSE(*lease);
    EXPECT_FALSE(lease->owns());
    EXPECT_TRUE(queue_reaches(0));
}

TEST_F(MutexTest, SequencesMayRestartButTokensGrow) {
    std::int64_t last = 0;
    for (int i = 0; i < 3; ++i) {
        Lease lease = mutex.acquire();
        EXPECT_GT(lease.fencing_token(), last);
        last = lease.fencing_token();
        EXPECT_TRUE(lease.node_path().ends_with("-lock-0000000000")) << lease.node_path();
        lease.release();
        other.remove("/locks/job"); // as the server removes an empty container after a while
    }
}

TEST_F(MutexTest, CloseEndsWaitersAndLeases) {
    Lease held = contender.acquire();
    auto waiting = std::async(std::launch::async, [&] {
        error_code ec;
        std::ignore = mutex.acquire(ec);
        return ec;
    });
    ASSERT_TRUE(queue_reaches(2));
    client.close();
    EXPECT_EQ(waiting.get(), error::closed);
    EXPECT_TRUE(queue_reaches(1));
    error_code ec;
    std::ignore = mutex.acquire(ec);
    EXPECT_EQ(ec, error::closed);
    other.close();
    EXPECT_FALSE(held.owns());
    EXPECT_TRUE(held.stop_token().stop_requested());
}

TEST_F(MutexTest, LeasesOutliveTheirMutexAndTheirClient) {
    Lease lease;
    {
        Client brief = started({.connect_string = server.connect_string()});
        InterProcessMutex local{brief, "/locks/job"};
        lease = local.acquire();
    }
    EXPECT_FALSE(lease.owns());
    EXPECT_TRUE(queue_reaches(0));
    error_code ec;
    lease.release(ec);
    EXPECT_EQ(ec, error::lease_lost);
}

TEST_F(MutexTest, ForbiddenLockIsAnErrorNotAHang) {
    other.create("/sealed", "", {.acl = {{Permission::read, "world", "anyone"}}});
    InterProcessMutex sealed{client, "/sealed/lock"};
    error_code ec;
    std::ignore = sealed.acquire(ec);
    EXPECT_EQ(ec, server_error::no_auth);
    EXPECT_THROW((InterProcessMutex{client, "not/a/path"}), Error);
}

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

struct MutexRestart : MutexTest {
    MutexRestart() : MutexTest(Sessions::outlast_restarts) {}
};

TEST_F(MutexRestart, LeavesTheHolderItsLeaseAndTheWaiterItsPlace) {
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
    AnyServer server;
    FaultProxy proxy{server.port()};
    Client client =
        started({.connect_string = proxy.connect_string(), .session_timeout = 10s, .ensemble_tracking = EnsembleTracking::off});
    const Lease held = InterProcessMutex(client, "/lock").acquire();
    const auto before = proxy.requests(Opcode::sync);
    ASSERT_TRUE(test::eventually([&] { return proxy.requests(Opcode::sync) >= before + 16; })); // a new session is certain, too
    EXPECT_TRUE(test::eventually([&] { return held.remaining() > client.negotiated_timeout() / 2; }));
}

struct CutOffMutexTest : MutexTest {
    CutOffMutexTest() : MutexTest(Sessions::soon_lost) {}
};

/// The order matters: the holder hears of the loss before the next contender gets the lock.
TEST_F(CutOffMutexTest, HolderBehindABlackHoleHearsBeforeTheNextOneIsGranted) {
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
