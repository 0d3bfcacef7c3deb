// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "proxied_test.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/thread/thread.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <regex>
#include <thread>

namespace docent {
namespace {

using namespace std::chrono_literals;
using boost::asio::use_future;
using docent::test::eventually;
using docent::testing::Direction;
using docent::testing::Opcode;
using Permits = std::vector<Lease>;

error_code error_of(std::future<Lease>& future) {
    try {
        future.get();
    } catch (const boost::system::system_error& e) {
        return e.code();
    }
    return {};
}

class SemaphoreTest : public ProxiedTest {
protected:
    InterProcessSemaphore mine{client, "/s", 3};
    InterProcessSemaphore theirs{other, "/s", 3};

    std::vector<std::string> children(const std::string& path) {
        other.sync(path);
        error_code ec;
        return other.children(path, ec).names;
    }
    bool reaches(std::size_t gate, std::size_t leases) {
        return eventually([&] { return children("/s/locks").size() == gate && children("/s/leases").size() == leases; });
    }
    template <typename T> static bool waits(const std::future<T>& future) {
        return future.wait_for(0s) == std::future_status::timeout;
    }
    /// Whatever the client has been told of so far, it has acted on.
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

/// Of each flight no answer arrives before all of it has been sent.
TEST_F(SemaphoreTest, FreePermitsTakeTwoFlights) {
    { const Lease warm = mine.acquire(); }
    ASSERT_TRUE(reaches(0, 0));
    settle();
    const auto sent = [&] {
        return std::array{proxy.requests(Opcode::create2), proxy.requests(Opcode::children2), proxy.requests(Opcode::remove),
                          proxy.requests(Opcode::get), proxy.requests(Opcode::remove_watches)};
    };
    const auto [creates, lists, removals, reads, unwatched] = sent();
    proxy.on_forwarded(Opcode::children2, [&] { proxy.black_hole(Direction::to_client); }); // it ends each flight
    proxy.black_hole(Direction::to_client);
    auto permits = mine.async_acquire(3, use_future);
    ASSERT_TRUE(eventually([&, lists = lists] { return proxy.requests(Opcode::children2) == lists + 1; }));
    EXPECT_EQ(proxy.requests(Opcode::create2), creates + 1) << "the gate, and its queue";
    proxy.heal();
    proxy.on_forwarded(Opcode::children2, [&] { proxy.black_hole(Direction::to_client); });
    ASSERT_TRUE(eventually([&, lists = lists] { return proxy.requests(Opcode::children2) == lists + 2; }));
    EXPECT_EQ(proxy.requests(Opcode::create2), creates + 4) << "three leases, and all of them";
    EXPECT_TRUE(waits(permits));
    proxy.on_forwarded(Opcode::children2, [] {});
    proxy.heal();
    const Permits three = permits.get();
    ASSERT_TRUE(reaches(0, 3));
    EXPECT_EQ(sent(), (std::array{creates + 4, lists + 2, removals + 1, reads, unwatched})) << "the gate is given back";
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

TEST_F(SemaphoreTest, WhoWantsManyIsNotOvertaken) {
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
    mine.acquire(0, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    mine.acquire(-1, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    mine.acquire(4, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    EXPECT_THROW(mine.try_acquire(4), Error);
    EXPECT_THROW((InterProcessSemaphore{client, "/s", 0}), Error);
    EXPECT_THROW((InterProcessSemaphore{client, "s", 1}), Error);
    EXPECT_TRUE(reaches(0, 0));
}

TEST_F(SemaphoreTest, LimitMayFollowASharedCount) {
    SharedCount limit(client, "/limit", 1);
    InterProcessSemaphore followed{client, "/s", limit};
    error_code ec;
    followed.acquire(ec);
    EXPECT_EQ(ec, server_error::invalid_state) << "it was not read yet";
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
        followed.acquire(ec, {.timeout = 1ms});
        return ec == error::corrupt_data;
    }));
}

/// Another client's count, on another thread.
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

TEST_F(SemaphoreTest, EndedWaitsLeaveNothing) {
    const Permits all = theirs.acquire(3);
    const auto waiting_at_the_gate = mine.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));

    EXPECT_FALSE(mine.try_acquire_for(50ms)) << "behind the gate";
    boost::asio::cancellation_signal signal;
    auto cancelled = mine.async_acquire(boost::asio::bind_cancellation_slot(signal.slot(), use_future));
    ASSERT_TRUE(reaches(2, 4));
    signal.emit(boost::asio::cancellation_type::terminal);
    EXPECT_EQ(error_of(cancelled), boost::asio::error::operation_aborted);
    ASSERT_TRUE(reaches(1, 4));
    std::stop_source stop;
    auto stopped = std::async(std::launch::async, [&] {
        error_code ec;
        mine.acquire(2, ec, {.stop = stop.get_token()});
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
            mine.acquire();
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

TEST_F(SemaphoreTest, DeadlinesCountForTheNetworkToo) {
    const auto began = std::chrono::steady_clock::now();
    proxy.black_hole();
    EXPECT_FALSE(mine.try_acquire_for(50ms));
    EXPECT_FALSE(mine.try_acquire_for(2, 50ms));
    proxy.refuse();
    proxy.cut();
    EXPECT_FALSE(mine.try_acquire_for(50ms));
    EXPECT_LT(std::chrono::steady_clock::now() - began, 5s);
    proxy.heal();
    EXPECT_TRUE(reaches(0, 0));
}

/// The connection breaks at each of the requests in turn.
TEST_F(SemaphoreTest, LostRepliesAreResolved) {
    { const Lease warm = mine.acquire(); }
    for (const Opcode opcode : {Opcode::create2, Opcode::children2, Opcode::remove}) {
        for (int nth = 1; nth <= 3; ++nth) {
            ASSERT_TRUE(reaches(0, 0));
            client.wait_connected();
            std::atomic<int> seen = 0;
            proxy.on_forwarded(opcode, [&] {
                if (++seen == nth) proxy.cut();
            });
            Permits permits = mine.acquire(2);
            proxy.on_forwarded(opcode, [] {});
            ASSERT_TRUE(reaches(0, 2));
            const auto nodes = children("/s/leases");
            for (const Lease& permit : permits) {
                EXPECT_TRUE(permit.owns());
                EXPECT_EQ(other.get(permit.node_path()).stat.czxid, permit.fencing_token());
            }
        }
    }
    proxy.cut_before_request(Opcode::create2);
    EXPECT_TRUE(mine.acquire().owns());
}

TEST_F(SemaphoreTest, WaitersKeepTheirPlacesThroughARestart) {
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

TEST_F(SemaphoreTest, AfterALostSessionTheWaitBeginsAgain) {
    Permits all = theirs.acquire(3);
    auto inside = mine.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));
    const auto before = children("/s/locks");
    client.renew_session();
    ASSERT_TRUE(eventually([&] {
        const auto now = children("/s/locks");
        return now.size() == 1 && now != before && children("/s/leases").size() == 4;
    }));
    EXPECT_TRUE(waits(inside));
    all.pop_back();
    EXPECT_TRUE(inside.get().owns());
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

TEST_F(SemaphoreTest, DeletedNodesEndTheWait) {
    const Permits all = theirs.acquire(3);
    for (const std::string place : {"/s/locks", "/s/leases"}) {
        const auto before = children("/s/leases");
        auto waiting = mine.async_acquire(use_future);
        ASSERT_TRUE(reaches(1, 4));
        settle();
        for (const auto& name : children(place)) {
            if (std::find(before.begin(), before.end(), name) == before.end()) other.remove(place + "/" + name);
        }
        EXPECT_EQ(error_of(waiting), error::lock_node_deleted) << place;
        EXPECT_TRUE(reaches(0, 3)) << place;
    }
}

TEST_F(SemaphoreTest, ForeignChildrenAreIgnored) {
    other.create("/s/leases/0", "", {.parents = Parents::container});
    other.create("/s/leases/lease-12");
    other.create("/s/leases/note");
    EXPECT_EQ(mine.acquire(3).size(), 3u);
}

TEST_F(SemaphoreTest, ParentsMayBeReapedInBetween) {
    for (int i = 0; i < 3; ++i) {
        Lease lease = mine.acquire();
        EXPECT_TRUE(lease.node_path().ends_with("-lease-0000000000")) << lease.node_path();
        lease.release();
        ASSERT_TRUE(reaches(0, 0));
        other.remove("/s/leases");
        other.remove("/s/locks");
        if (i == 1) other.remove("/s");
    }
}

/// All its nodes are containers, and the server is in a hurry to remove them.
TEST(SemaphoreParents, MayGoAtAnyTime) {
    docent::testing::TestingServer server{{.java_options = {"-Dznode.container.checkIntervalMs=1"}}};
    Client client{{.connect_string = server.connect_string()}};
    client.start();
    InterProcessSemaphore semaphore(client, "/s", 2);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(semaphore.acquire(2).size(), 2u) << i;
    EXPECT_TRUE(eventually([&] { return !client.exists("/s"); }));
}

TEST_F(SemaphoreTest, ForbiddenSemaphoreIsAnErrorNotAHang) {
    other.create("/s/leases", "", {.parents = Parents::container, .acl = {{Permission::read, "world", "anyone"}}});
    error_code ec;
    mine.acquire(ec);
    EXPECT_EQ(ec, server_error::no_auth);
    EXPECT_TRUE(reaches(0, 0));
}

TEST_F(SemaphoreTest, CloseEndsWaitersAndLeases) {
    const Permits all = theirs.acquire(3);
    auto inside = mine.async_acquire(use_future);
    ASSERT_TRUE(reaches(1, 4));
    auto behind = mine.async_acquire(2, use_future);
    ASSERT_TRUE(reaches(2, 4));
    client.close();
    EXPECT_EQ(error_of(inside), error::closed);
    EXPECT_THROW(behind.get(), boost::system::system_error);
    EXPECT_TRUE(reaches(0, 3));
    error_code ec;
    mine.acquire(ec);
    EXPECT_EQ(ec, error::closed);
}

TEST_F(SemaphoreTest, OfAClientThatWasNotStarted) {
    Client idle{{.connect_string = server.connect_string(), .connection_timeout = 50ms}};
    InterProcessSemaphore semaphore(idle, "/s", 3);
    error_code ec;
    EXPECT_FALSE(semaphore.acquire(ec));
    EXPECT_EQ(ec, error::not_connected);
    EXPECT_TRUE(semaphore.acquire(2, ec).empty());
    EXPECT_EQ(ec, error::not_connected);
    EXPECT_FALSE(semaphore.try_acquire_for(1ms));
    idle.close();
    EXPECT_FALSE(semaphore.acquire(ec));
    EXPECT_EQ(ec, error::closed);
}

/// Eight clients, three permits, one or two at a time: never too many at once.
TEST_F(SemaphoreTest, ManyClientsTakeTurns) {
    constexpr int clients = 8;
    constexpr int turns = 40;
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::vector<std::thread> threads;
    for (int c = 0; c < clients; ++c) {
        threads.emplace_back([&, c] {
            Client own{{.connect_string = server.connect_string()}};
            own.start();
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
    }
    for (auto& thread : threads) thread.join();
    EXPECT_LE(most, 3);
    EXPECT_GT(most, 1);
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
    std::array<std::thread, 4> threads;
    for (auto& thread : threads) thread = std::thread(take_turns);
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(overlaps, 0);
    EXPECT_FALSE(lock.is_locked());
    EXPECT_TRUE(reaches(0, 0));
}

/// Who lost it and unlocks late must not unlock for the one who has it now (CURATOR-376).
TEST_F(SemaphoreMutexTest, LateUnlockOfALostHoldHarmsNobody) {
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
    lock.unlock(); // the lost one
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
