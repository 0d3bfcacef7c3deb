// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "ended_waits.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "in_threads.hpp"
#include "proxied_test.hpp"
#include "queue_at.hpp"
#include "seeds.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;

class MultiLockTest : public ProxiedTest {
protected:
    explicit MultiLockTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessMultiLock mine{client, {"/b", "/a", "/c"}};

    std::vector<std::string> nodes(const std::string& path) { return test::queue_at(other, path); }
    /// Waits until so many nodes stand in the queues at /a, /b and /c.
    bool queues_reach(std::array<std::size_t, 3> lengths) {
        return eventually([&] {
            return nodes("/a").size() == lengths[0] && nodes("/b").size() == lengths[1] && nodes("/c").size() == lengths[2];
        });
    }
    /// Waits until `mine` holds /a and waits for /b, which is taken. The first try has nodes there, too, but sets no watches.
    bool waits_for_b() {
        return eventually([&] { return proxy.requests(docent::testing::Opcode::get) >= 2; }) && queues_reach({1, 2, 0});
    }
    Lease taken(const std::string& path) { return InterProcessMutex(other, path).acquire(); }
    std::future<MultiLease> acquire() { return mine.async_acquire(boost::asio::use_future); }
    static bool waits(const std::future<MultiLease>& future) { return future.wait_for(0s) == std::future_status::timeout; }
};

TEST_F(MultiLockTest, FreeLocksTakeOneRoundTripTogether) {
    mine.acquire().release(); // makes the parents
    const auto creates = proxy.requests(Opcode::create2);
    const auto lists = proxy.requests(Opcode::children2);
    proxy.black_hole(Direction::to_client);
    auto all = acquire();
    ASSERT_TRUE(eventually([&] { return proxy.requests(Opcode::children2) == lists + 3; })) << "sent without any answer";
    EXPECT_EQ(proxy.requests(Opcode::create2), creates + 3);
    proxy.heal();
    const MultiLease lease = all.get();
    EXPECT_TRUE(lease.owns());
    EXPECT_EQ(proxy.requests(Opcode::create2), creates + 3);
    EXPECT_EQ(proxy.requests(Opcode::children2), lists + 3);
    EXPECT_EQ(mine.paths(), (std::vector<std::string>{"/b", "/a", "/c"}));
    ASSERT_EQ(lease.leases().size(), 3U);
    EXPECT_EQ(lease.leases()[1].node_path(), "/a/" + nodes("/a").front());
}

TEST_F(MultiLockTest, ExcludesTheHolderOfOneOfItsLocks) {
    InterProcessMutex single(other, "/b");
    MultiLease lease = mine.acquire();
    EXPECT_FALSE(single.try_acquire());
    lease.release();
    EXPECT_TRUE(queues_reach({0, 0, 0}));
    const Lease held = single.acquire();
    EXPECT_FALSE(mine.try_acquire());
    EXPECT_FALSE(mine.try_acquire_for(20ms));
    EXPECT_TRUE(queues_reach({0, 1, 0})) << "who gave up left no node";
    error_code ec;
    EXPECT_FALSE(mine.try_acquire(ec));
    EXPECT_FALSE(ec);
    const auto failures = mine.acquire(ec, {.timeout = 2s}).failures(); // long enough for an answer on a busy machine
    EXPECT_EQ(std::count(failures.begin(), failures.end(), LockFailure{"/b", error::not_acquired}), 1);
    EXPECT_EQ(ec, error::not_acquired);
}

TEST_F(MultiLockTest, ExceptionsNameAllFailures) {
    const Lease first = taken("/a");
    other.create("/sealed", "", {.acl = {{Permission::read, "world", "anyone"}}});
    InterProcessMultiLock some{client, {"/sealed/y", "/free", "/sealed/x"}};
    try {
        std::ignore = some.acquire();
        FAIL();
    } catch (const MultiLockError& e) {
        EXPECT_EQ(e.code(), server_error::no_auth);
        EXPECT_EQ(e.failures(),
                  (std::vector<LockFailure>{{"/sealed/y", server_error::no_auth}, {"/sealed/x", server_error::no_auth}}));
        const std::string text = e.what();
        EXPECT_NE(text.find("/sealed/y: "), std::string::npos) << text;
        EXPECT_NE(text.find("/sealed/x: "), std::string::npos) << text;
    }
    EXPECT_TRUE(test::queue_reaches(other, "/free", 0)) << "the others are given back";
    EXPECT_THROW(std::ignore = some.try_acquire(), MultiLockError);
    EXPECT_THROW(std::ignore = some.try_acquire_for(1h), MultiLockError);
    EXPECT_THROW(std::ignore = mine.acquire({.timeout = 20ms}), MultiLockError);
}

/// Each list twice, in two threads, all in different orders.
TEST_F(MultiLockTest, ListsInAnyOrderTakeTurns) {
    const std::vector<std::vector<std::string>> lists = {{"/a", "/b", "/c"}, {"/c", "/b", "/a"}, {"/b", "/c"}, {"/c", "/a"}};
    std::array<std::atomic<int>, 3> inside{};
    std::atomic<int> overlaps = 0;
    std::atomic<int> failures = 0;
    test::in_threads(static_cast<int>(2 * lists.size()), [&](int i) {
        const auto& paths = lists[static_cast<std::size_t>(i / 2)];
        InterProcessMultiLock locks{i % 2 ? client : other, paths};
        for (int turn = 0; turn < repetitions(50); ++turn) {
            error_code ec;
            MultiLease lease = locks.acquire(ec, {.timeout = generous}); // a lock that never comes shows as a failure
            if (ec) {
                ++failures;
                return;
            }
            for (const auto& path : paths) overlaps += inside[static_cast<std::size_t>(path[1] - 'a')]++;
            std::this_thread::yield();
            for (const auto& path : paths) --inside[static_cast<std::size_t>(path[1] - 'a')];
            if (turn % 2) lease.release();
        }
    });
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(overlaps, 0);
    EXPECT_TRUE(queues_reach({0, 0, 0}));
}

TEST_F(MultiLockTest, SidesOfReadWriteLocksCanBeMembers) {
    InterProcessReadWriteLock ledger(client, "/ledger");
    InterProcessReadWriteLock same(other, "/ledger");
    InterProcessMutex account(client, "/account");
    InterProcessMultiLock reading{{ledger.read_lock(), account}};
    InterProcessMultiLock writing{{account, ledger.write_lock()}};
    {
        const MultiLease lease = reading.acquire();
        EXPECT_TRUE(same.read_lock().try_acquire());
        EXPECT_FALSE(same.write_lock().try_acquire());
    }
    const MultiLease lease = writing.acquire();
    EXPECT_FALSE(same.read_lock().try_acquire());
}

TEST_F(MultiLockTest, AListThatWouldWaitForItselfIsRefused) {
    const auto refused = [](const std::vector<LockMember>& locks) {
        return failure_of([&] { return InterProcessMultiLock(locks); }).code;
    };
    InterProcessReadWriteLock ledger(client, "/ledger");
    Client view = client.in_namespace("app");
    EXPECT_EQ(refused({ledger.read_lock(), ledger.write_lock()}), error::would_deadlock);
    EXPECT_EQ(refused({InterProcessMutex(client, "/app/x"), InterProcessMutex(view, "/x")}), error::would_deadlock);
    EXPECT_EQ(refused({InterProcessMutex(client, "/x"), InterProcessMutex(view, "/x")}), error_code{});
    EXPECT_EQ(refused({InterProcessMutex(client, "/x"), InterProcessMutex(other, "/y")}), server_error::bad_arguments);
    EXPECT_EQ(refused({}), server_error::bad_arguments);
    EXPECT_THROW((InterProcessMultiLock{client, {"/a", "b"}}), Error);
}

TEST_F(MultiLockTest, OrderIsThatOfTheServersPaths) {
    Client view = client.in_namespace("a");
    InterProcessMutex in_view(view, "/z"), plain(client, "/b");
    const Lease held = taken("/b");
    InterProcessMultiLock locks{{plain, in_view}};
    auto waiting = locks.async_acquire(boost::asio::use_future);
    EXPECT_TRUE(eventually([&] { return nodes("/b").size() == 2 && nodes("/a/z").size() == 1; })) << "/a/z before /b";
    EXPECT_TRUE(waits(waiting));
}

TEST_F(MultiLockTest, ThreadThatHoldsOneOfThemWouldWaitForItself) {
    InterProcessMutex one(client, "/a");
    InterProcessReadWriteLock two(client, "/b");
    InterProcessMultiLock both{{two.read_lock(), one}};
    error_code ec;
    {
        const std::scoped_lock hold(one);
        EXPECT_EQ(both.acquire(ec).failures(), (std::vector<LockFailure>{{"/a", error::would_deadlock}}));
        EXPECT_EQ(ec, error::would_deadlock);
        EXPECT_THROW(std::ignore = both.try_acquire_for(1h), MultiLockError) << "at once";
        EXPECT_FALSE(both.try_acquire());
        std::thread([&] { EXPECT_FALSE(both.try_acquire_for(10ms)); }).join(); // another thread is not a nested hold: it waits
    }
    const std::scoped_lock writing(two);
    std::ignore = both.acquire(ec);
    EXPECT_EQ(ec, error::would_deadlock);
}

TEST_F(MultiLockTest, GuardsATransactionWithEachLease) {
    const MultiLease lease = mine.acquire();
    const auto guarded = [&](const char* path) {
        Transaction tx;
        for (const Lease& one : lease.leases()) tx.guard(one);
        tx.create(path);
        error_code ec;
        client.commit(tx, ec);
        return ec;
    };
    EXPECT_FALSE(guarded("/done"));
    other.remove(lease.leases()[1].node_path());
    EXPECT_EQ(guarded("/late"), error::lease_lost);
    EXPECT_FALSE(other.exists("/late"));
}

TEST_F(MultiLockTest, OutlivedByItsLeaseAndByItsMutexes) {
    MultiLease lease;
    {
        const InterProcessMutex one(client, "/a");
        InterProcessMultiLock brief{{one, InterProcessMutex(client, "/b")}};
        lease = brief.acquire();
    }
    EXPECT_TRUE(lease.owns());
    std::thread([moved = std::move(lease)] { EXPECT_TRUE(moved.owns()); }).join();
    EXPECT_TRUE(queues_reach({0, 0, 0}));
}

struct RecordingTracer final : Tracer {
    void on_operation(const OperationTrace& trace) override {
        heard.add(std::string(trace.name) + " " + std::string(trace.path) + " " + std::to_string(trace.requests));
    }
    bool has_heard(const std::string& what) const {
        const auto all = heard.all();
        return std::find(all.begin(), all.end(), what) != all.end();
    }

    test::Heard<std::string> heard;
};

TEST_F(MultiLockTest, TracersHearOfEachLock) {
    const auto tracer = std::make_shared<RecordingTracer>();
    Client traced = started({.connect_string = server.connect_string(), .tracer = tracer});
    for (const char* path : {"/a", "/b"}) other.create(path);
    InterProcessMultiLock both{traced, {"/a", "/b"}};
    MultiLease lease = both.acquire();
    const std::string node = lease.leases()[0].node_path();
    lease.release();
    EXPECT_TRUE(eventually([&] { return tracer->has_heard("acquire /a 2") && tracer->has_heard("acquire /b 2"); }));
    EXPECT_TRUE(eventually([&] { return tracer->has_heard("release " + node + " 1"); }));
}

TEST_F(MultiLockTest, PermitsOfSemaphoresMayBeMembers) {
    InterProcessSemaphore seats{client, "/multi/seats", 2};
    InterProcessSemaphoreMutex desk{client, "/multi/desk"};
    InterProcessMutex mutex{client, "/multi/mutex"};
    InterProcessMultiLock all{{seats, desk, mutex}};
    Lease theirs = InterProcessSemaphore(other, "/multi/seats", 2).acquire();
    MultiLease held = all.acquire();
    EXPECT_EQ(held.leases().size(), 3u);
    EXPECT_TRUE(held.owns());
    EXPECT_FALSE(all.try_acquire());
    auto next = all.async_acquire(boost::asio::use_future);
    theirs.release();
    held.release();
    EXPECT_TRUE(next.get().owns());
    EXPECT_THROW((InterProcessMultiLock{{seats, seats}}), Error);
}

TEST_F(MultiLockTest, InterruptedStoppedOrCancelledWaitersLeaveNoNode) {
    const Lease held = taken("/b");
    test::expect_ended_waits_leave_nothing(
        mine, [this] { return waits_for_b(); },
        [this] {
            return queues_reach({0, 1, 0});
        });
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
