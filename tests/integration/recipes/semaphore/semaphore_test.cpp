// SPDX-License-Identifier: Apache-2.0
#include "semaphore_fixture.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
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
    try {
        std::ignore = mine.try_acquire(4);
        FAIL();
    } catch (const Error& failure) {
        EXPECT_NE(std::string(failure.what()).find("4 permits, but the limit is 3"), std::string::npos) << failure.what();
    }
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

} // namespace
} // namespace docent
