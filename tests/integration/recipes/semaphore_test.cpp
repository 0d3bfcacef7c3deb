// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "ended_waits.hpp"
#include "eventually.hpp"
#include "in_threads.hpp"
#include "proxied_test.hpp"
#include "queue_at.hpp"
#include "servers/any_server.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <regex>
#include <string>
#include <thread>
#include <tuple>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;

using Permits = std::vector<Lease>;

class SemaphoreTest : public ProxiedTest {
protected:
    explicit SemaphoreTest(Sessions sessions = Sessions::usual) : ProxiedTest(sessions) {}

    InterProcessSemaphore mine{client, "/s", 3};
    InterProcessSemaphore theirs{other, "/s", 3};

    std::vector<std::string> children(const std::string& path) { return test::queue_at(other, path); }
    bool reaches(std::size_t gate, std::size_t leases) {
        return eventually([&] {
            const auto at_gate = test::try_queue_at(other, "/s/locks");
            const auto held = test::try_queue_at(other, "/s/leases");
            return at_gate && held && at_gate->size() == gate && held->size() == leases;
        });
    }
    template <typename T> static bool waits(const std::future<T>& future) {
        return future.wait_for(0s) == std::future_status::timeout;
    }
    /// Waits until the client has acted on every event that it has received so far.
    void settle() { client.sync(); }
};

TEST_F(SemaphoreTest, NodesAreCurators) {
    const Lease lease = mine.acquire();
    EXPECT_TRUE(std::regex_match(lease.node_path(), std::regex("/s/leases/_c_[0-9a-f-]{36}-lease-[0-9]{10}")))
        << lease.node_path();
    EXPECT_EQ(other.get(lease.node_path()).stat.czxid, lease.fencing_token());
    EXPECT_NE(other.get(lease.node_path()).stat.ephemeral_owner, 0);
    EXPECT_TRUE(reaches(0, 1));
}

TEST_F(SemaphoreTest, NoMoreThanTheLimit) {
    Lease first = mine.acquire();
    Lease second = theirs.acquire();
    Lease third = mine.acquire();
    EXPECT_FALSE(mine.try_acquire());
    EXPECT_FALSE(theirs.try_acquire_for(1ms));
    auto next = theirs.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));
    EXPECT_TRUE(waits(next));
    second.release();
    EXPECT_TRUE(next.get().owns());
    ASSERT_TRUE(reaches(0, 2)) << "the future's lease is gone with it";
}

/// All requests of a flight are sent before any of its answers arrives.
TEST_F(SemaphoreTest, FreePermitsTakeTwoFlights) {
    { const Lease warm = mine.acquire(); }
    ASSERT_TRUE(reaches(0, 0));
    settle();
    const auto sent = [&] {
        return std::array{proxy.requests(Opcode::create2), proxy.requests(Opcode::children2), proxy.requests(Opcode::remove),
                          proxy.requests(Opcode::remove_watches)};
    };
    const auto reads = proxy.requests(Opcode::get);
    const auto [creates, lists, removals, unwatched] = sent();
    proxy.black_hole(Direction::to_client);
    auto permits = mine.async_acquire(3, use_future);
    ASSERT_TRUE(eventually([&, lists = lists] { return proxy.requests(Opcode::children2) == lists + 1; }));
    EXPECT_EQ(proxy.requests(Opcode::create2), creates + 1) << "the gate, and its queue";
    proxy.on_forwarded(Opcode::exists, [&] { // on the proxy's thread: no request of the next flight passes in between
        proxy.heal();
        proxy.on_forwarded(Opcode::children2, [&] { proxy.black_hole(Direction::to_client); });
    });
    const auto lets_it_go_on = client.async_exists("/s", use_future);
    ASSERT_TRUE(eventually([&, lists = lists] { return proxy.requests(Opcode::children2) == lists + 2; }));
    EXPECT_EQ(proxy.requests(Opcode::create2), creates + 4) << "three leases, and all of them";
    EXPECT_TRUE(waits(permits));
    EXPECT_EQ(proxy.requests(Opcode::get), reads) << "later the leases watch their nodes, with a heartbeat";
    proxy.on_forwarded(Opcode::children2, [] {});
    proxy.heal();
    const Permits three = permits.get();
    ASSERT_TRUE(reaches(0, 3));
    const std::array all{creates + 4, lists + 2, removals + 1, unwatched};
    EXPECT_TRUE(eventually([&] { return sent() == all; }))
        << "the gate is given back"; // the proxy counts a request after it has sent it
}

TEST_F(SemaphoreTest, SeveralAreTakenTogetherOrNotAtAll) {
    Lease one = theirs.acquire();
    EXPECT_FALSE(mine.try_acquire(3));
    EXPECT_FALSE(mine.try_acquire_for(3, 100ms));
    ASSERT_TRUE(reaches(0, 1));
    auto all = mine.async_acquire(3, use_future);
    ASSERT_TRUE(reaches(1, 4));
    EXPECT_TRUE(waits(all));
    one.release();
    Permits permits = all.get();
    ASSERT_EQ(permits.size(), 3u);
    EXPECT_TRUE(std::all_of(permits.begin(), permits.end(), [](const Lease& lease) { return lease.owns(); }));
    permits.pop_back();
    EXPECT_TRUE(theirs.try_acquire_for(1, generous)) << "each is given back for itself";
}

TEST_F(SemaphoreTest, AWaiterForManyPermitsIsNotOvertaken) {
    Permits held = theirs.acquire(2);
    auto many = mine.async_acquire(2, use_future);
    ASSERT_TRUE(reaches(1, 4));
    auto one = theirs.async_acquire(use_future);
    ASSERT_TRUE(reaches(2, 4));
    EXPECT_TRUE(waits(one)) << "though one is free";
    held.pop_back();
    EXPECT_EQ(many.get().size(), 2u);
    EXPECT_TRUE(one.get().owns());
}

TEST_F(SemaphoreTest, LeaseKnowsItsUsage) {
    EXPECT_EQ(mine.usage(), (PermitUsage{3, 0}));
    const Lease first = mine.acquire();
    EXPECT_EQ(first.usage_at_grant(), (PermitUsage{3, 1}));
    const Permits two = theirs.acquire(2);
    EXPECT_EQ(two.front().usage_at_grant(), (PermitUsage{3, 3}));
    EXPECT_EQ(two.front().usage_at_grant()->free(), 0);
    EXPECT_EQ(mine.async_usage(use_future).get(), (PermitUsage{3, 3}));
    EXPECT_EQ(mine.usage().free(), 0);
    EXPECT_FALSE(InterProcessMutex(client, "/mutex").acquire().usage_at_grant());
}

TEST_F(SemaphoreTest, LeaseKnowsItsData) {
    InterProcessSemaphore named{client, "/s", 3, {.node_data = "worker 7"}};
    const Lease lease = named.acquire();
    EXPECT_EQ(other.get(lease.node_path()).data, "worker 7");
    EXPECT_EQ(lease.data(), "worker 7");
    const Lease plain = mine.acquire();
    EXPECT_EQ(plain.data(), other.get(plain.node_path()).data);
}

TEST_F(SemaphoreTest, ImpossibleNumbersAreRefused) {
    error_code ec;
    std::ignore = mine.acquire(0, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    std::ignore = mine.acquire(-1, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    std::ignore = mine.acquire(4, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, "4 permits, but the limit is 3",
                        failure_of([&] { return mine.try_acquire(4); }).text);
    EXPECT_THROW((InterProcessSemaphore{client, "/s", 0}), Error);
    EXPECT_THROW((InterProcessSemaphore{client, "s", 1}), Error);
    EXPECT_TRUE(reaches(0, 0));
}

TEST_F(SemaphoreTest, LimitMayFollowASharedCount) {
    SharedCount limit(client, "/limit", 1);
    InterProcessSemaphore followed{client, "/s", limit};
    error_code ec;
    std::ignore = followed.acquire(ec);
    EXPECT_EQ(ec, error::not_started) << "the count was not started";
    limit.start();
    Lease one = followed.acquire();
    auto all = followed.async_acquire(3, use_future);
    ASSERT_TRUE(reaches(1, 4));
    auto next = followed.async_acquire(use_future);
    ASSERT_TRUE(reaches(2, 4));
    SharedCount elsewhere(other, "/limit");
    elsewhere.start();
    elsewhere.set(3);
    EXPECT_TRUE(eventually([&] { return limit.get().count == 3; }));
    settle();
    EXPECT_TRUE(waits(all)) << "one is missing yet";
    elsewhere.set(4);
    Permits three = all.get();
    EXPECT_EQ(three.front().usage_at_grant(), (PermitUsage{4, 4}));
    elsewhere.set(1);
    EXPECT_TRUE(eventually([&] { return limit.get().count == 1; }));
    EXPECT_TRUE(three.front().owns()) << "a cut takes nothing back";
    three.clear();
    ASSERT_TRUE(reaches(1, 2));
    EXPECT_TRUE(waits(next)) << "but lets nobody in";
    one.release();
    EXPECT_TRUE(next.get().owns());
    other.set("/limit", "plenty");
    EXPECT_TRUE(eventually([&] {
        std::ignore = followed.acquire(ec, {.timeout = 1ms});
        return ec == error::corrupt_data;
    }));
}

/// The count belongs to another client, on another thread.
TEST_F(SemaphoreTest, LimitMayComeFromAnotherClient) {
    SharedCount limit(other, "/limit", 1);
    limit.start();
    InterProcessSemaphore followed{client, "/s", limit};
    const Lease one = followed.acquire();
    auto next = followed.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 2));
    limit.set(2);
    EXPECT_TRUE(next.get().owns());
}

/// Eight clients, three permits, one or two at a time: never more holders than permits.
TEST_F(SemaphoreTest, ManyClientsTakeTurns) {
    constexpr int clients = 8;
    constexpr int turns = 40;
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    test::in_threads(clients, [&](int c) {
        Client own = started({.connect_string = server.connect_string()});
        InterProcessSemaphore semaphore(own, "/turns", 3);
        for (int turn = 0; turn < turns; ++turn) {
            const int count = 1 + (turn + c) % 2;
            const Permits permits = semaphore.acquire(count);
            const int now = inside += count;
            for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
            }
            inside -= count;
        }
    });
    EXPECT_LE(most, 3);
    EXPECT_GT(most, 1);
}

TEST_F(SemaphoreTest, EndedWaitsLeaveNothing) {
    const Permits all = theirs.acquire(3);
    test::expect_ended_waits_leave_nothing(
        mine, [this] { return reaches(1, 4); }, [this] { return reaches(0, 3); });
    const auto waiting_at_the_gate = mine.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));
    EXPECT_FALSE(mine.try_acquire_for(50ms)) << "behind the gate";
    test::expect_ended_waits_leave_nothing(
        mine, [this] { return reaches(2, 4); }, [this] { return reaches(1, 4); });
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
    EXPECT_EQ(children("/s/locks"), gate);
    EXPECT_EQ(children("/s/leases"), leases);
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
    docent::test::AnyServer server{{.cleanup_interval = 1ms}};
    Client client = started({.connect_string = server.connect_string()});
    InterProcessSemaphore semaphore(client, "/s", 2);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(semaphore.acquire(2).size(), 2u) << i;
    EXPECT_TRUE(eventually([&] { return !client.exists("/s"); }));
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
    EXPECT_EQ(failure_of([&] { return waiting.get(); }).code, error::not_started) << "after the connection timeout";
    idle.close();
    EXPECT_FALSE(semaphore.acquire(ec));
    EXPECT_EQ(ec, error::closed);
}

class SemaphoreMutexTest : public SemaphoreTest {
protected:
    InterProcessSemaphoreMutex lock{client, "/s"};
    InterProcessSemaphoreMutex contender{other, "/s"};
};

TEST_F(SemaphoreMutexTest, AnyThreadMayUnlock) {
    EXPECT_THROW(lock.unlock(), Error);
    lock.lock();
    EXPECT_TRUE(lock.is_locked());
    EXPECT_GT(lock.fencing_token(), 0);
    EXPECT_FALSE(lock.try_lock()) << "not reentrant";
    EXPECT_FALSE(contender.try_lock_for(1ms));
    std::thread([&] { lock.unlock(); }).join();
    EXPECT_FALSE(lock.is_locked());
    EXPECT_THROW(lock.fencing_token(), Error);
    EXPECT_TRUE(contender.try_lock_for(generous));
    contender.unlock();
    EXPECT_TRUE(reaches(0, 0));
}

TEST_F(SemaphoreMutexTest, IsATimedLockable) {
    {
        const std::unique_lock hold(lock, 30s);
        EXPECT_TRUE(hold.owns_lock());
        EXPECT_FALSE(contender.try_acquire());
    }
    EXPECT_TRUE(contender.try_lock_until(std::chrono::system_clock::now() + generous));
    auto next = lock.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 2));
    contender.unlock();
    EXPECT_TRUE(next.get().owns());
}

TEST_F(SemaphoreMutexTest, ThreadsOfOneObjectTakeTurns) {
    constexpr int turns = 50;
    std::atomic<int> inside = 0;
    std::atomic<int> overlaps = 0;
    const auto take_turns = [&] {
        for (int turn = 0; turn < turns; ++turn) {
            lock.lock();
            if (++inside != 1) ++overlaps;
            --inside;
            EXPECT_NO_THROW(lock.unlock());
        }
    };
    test::in_threads(4, [&](int) { take_turns(); });
    EXPECT_EQ(overlaps, 0);
    EXPECT_FALSE(lock.is_locked());
    EXPECT_TRUE(reaches(0, 0));
}

/// A thread that has lost the lock and unlocks late must not unlock it for the present holder (CURATOR-376).
TEST_F(SemaphoreMutexTest, ALateUnlockOfALostHoldSparesTheNextHolder) {
    lock.lock();
    client.renew_session();
    ASSERT_TRUE(eventually([&] { return !lock.is_locked(); }));
    std::latch has_it(1);
    std::latch may_go(1);
    std::thread second([&] {
        lock.lock();
        has_it.count_down();
        may_go.wait();
        lock.unlock();
    });
    has_it.wait();
    lock.unlock(); // unlocks the lost hold
    EXPECT_TRUE(lock.is_locked());
    EXPECT_FALSE(contender.try_lock());
    may_go.count_down();
    second.join();
    EXPECT_FALSE(lock.is_locked());
    EXPECT_TRUE(contender.try_lock_for(generous));
    contender.unlock();
}

} // namespace
} // namespace docent
