// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;

class DistributedBarrierTest : public ProxiedTest {
protected:
    DistributedBarrier ours{client, "/gate/barrier"};
    DistributedBarrier theirs{other, "/gate/barrier"};

    bool watches_reach(std::int64_t count) {
        return eventually([&] { return server.metric("zk_watch_count") == count; });
    }
};

TEST_F(DistributedBarrierTest, HoldsUpAllWaitersUntilItIsRemoved) {
    ours.wait(); // no barrier is set
    theirs.set();
    theirs.set();
    std::vector<std::future<void>> waiting;
    for (int i = 0; i < 10; ++i) waiting.push_back(ours.async_wait(boost::asio::use_future));
    ASSERT_TRUE(watches_reach(1)) << "they share one";
    other.set("/gate/barrier", "more to say");
    for (auto& each : waiting) EXPECT_EQ(each.wait_for(0s), std::future_status::timeout);
    theirs.remove();
    for (auto& each : waiting) each.get();
    theirs.remove();
    EXPECT_TRUE(watches_reach(0));
}

TEST_F(DistributedBarrierTest, AWaiterThatGivesUpLeavesNoWatch) {
    theirs.async_set(boost::asio::use_future).get();
    error_code ec;
    ours.wait(ec, {.timeout = 20ms});
    EXPECT_EQ(ec, server_error::operation_timeout);
    EXPECT_TRUE(watches_reach(0));
    std::stop_source stop;
    auto waiting = ours.async_wait({.stop = stop.get_token()}, boost::asio::use_future);
    EXPECT_TRUE(watches_reach(1));
    stop.request_stop();
    EXPECT_THROW(waiting.get(), boost::system::system_error);
    EXPECT_TRUE(watches_reach(0));
    theirs.async_remove(boost::asio::use_future).get();
    ours.wait();
    EXPECT_TRUE(watches_reach(0));
}

class DistributedDoubleBarrierTest : public ProxiedTest {
protected:
    DistributedDoubleBarrier ours{client, "/work/barrier", 2};
    DistributedDoubleBarrier theirs{other, "/work/barrier", 2};

    std::size_t nodes() {
        error_code ec;
        return other.children("/work/barrier", ec).names.size();
    }
    bool nodes_reach(std::size_t count) {
        return eventually([&] { return nodes() == count; });
    }
    static bool waits(const std::future<void>& passage) { return passage.wait_for(0s) == std::future_status::timeout; }
};

TEST_F(DistributedDoubleBarrierTest, InAllFormsTheyBeginAndEndTogether) {
    auto entering = ours.async_enter(asio::use_future);
    ASSERT_TRUE(nodes_reach(1));
    EXPECT_TRUE(waits(entering));
    theirs.enter();
    entering.get();
    auto leaving = asio::co_spawn(client.get_executor(), ours.async_leave(asio::use_awaitable), asio::use_future);
    EXPECT_TRUE(waits(leaving));
    theirs.leave();
    leaving.get();
    EXPECT_TRUE(nodes_reach(0));
    EXPECT_TRUE(eventually([&] { return server.metric("zk_watch_count") == 0; }));
}

TEST_F(DistributedDoubleBarrierTest, AtOnceAgainAsOftenAsTheyLike) {
    constexpr int rounds = 20;
    auto theirs_too = std::async(std::launch::async, [&] {
        for (int i = 0; i < rounds; ++i) {
            theirs.enter();
            theirs.leave();
        }
    });
    for (int i = 0; i < rounds; ++i) {
        ours.enter();
        ours.leave();
    }
    theirs_too.get();
    EXPECT_TRUE(nodes_reach(0));
}

TEST_F(DistributedDoubleBarrierTest, AMemberThatGivesUpLeavesNoNodes) {
    error_code ec;
    ours.enter(ec, {.timeout = 50ms});
    EXPECT_EQ(ec, server_error::operation_timeout);
    EXPECT_TRUE(nodes_reach(0));
    std::stop_source stop;
    auto entering = ours.async_enter({.stop = stop.get_token()}, asio::use_future);
    ASSERT_TRUE(nodes_reach(1));
    stop.request_stop();
    EXPECT_THROW(entering.get(), boost::system::system_error);
    EXPECT_TRUE(nodes_reach(0));
    EXPECT_TRUE(eventually([&] { return server.metric("zk_watch_count") == 0; }));
}

class CountDownLatchOnServers : public ProxiedTest {
protected:
    CountDownLatch ours{client, "/jobs/ready", 20};
    CountDownLatch theirs{other, "/jobs/ready", 20};
};

TEST_F(CountDownLatchOnServers, InAllFormsAndThroughCutsEachCountsOnce) {
    auto waiting = theirs.async_wait(asio::use_future);
    auto waiting_too = asio::co_spawn(client.get_executor(), ours.async_wait(asio::use_awaitable), asio::use_future);
    for (int i = 0; i < 9; ++i) {
        proxy.cut_before_reply(testing::Opcode::multi);
        ours.count_down();
    }
    EXPECT_EQ(theirs.left(), 11);
    std::vector<std::future<void>> counting;
    for (int i = 0; i < 10; ++i) counting.push_back(theirs.async_count_down(1, asio::use_future));
    for (auto& each : counting) each.get();
    EXPECT_EQ(theirs.async_left(asio::use_future).get(), 1);
    EXPECT_EQ(waiting.wait_for(0s), std::future_status::timeout);
    EXPECT_EQ(waiting_too.wait_for(0s), std::future_status::timeout);
    ours.count_down();
    waiting.get();
    waiting_too.get();
    ours.wait();
    EXPECT_EQ(DistributedAtomicLong(other, "/jobs/ready").get().after, 20);
}

TEST_F(CountDownLatchOnServers, AWaiterThatGivesUpLeavesNoWatch) {
    error_code ec;
    ours.wait(ec, {.timeout = 50ms});
    EXPECT_EQ(ec, server_error::operation_timeout);
    EXPECT_TRUE(eventually([&] { return server.metric("zk_watch_count") == 0; }));
    EXPECT_FALSE(other.exists("/jobs/ready"));
}

TEST_F(CountDownLatchOnServers, AsOtherBarriersRefusesImpossibleArguments) {
    EXPECT_THROW(DistributedBarrier(client, "gate"), Error);
    EXPECT_THROW(DistributedDoubleBarrier(client, "work", 2), Error);
    EXPECT_THROW(DistributedDoubleBarrier(client, "/work", 0), Error);
    EXPECT_THROW(CountDownLatch(client, "jobs", 1), Error);
    EXPECT_THROW(CountDownLatch(client, "/jobs", 0), Error);
    error_code ec;
    ours.count_down(0, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
    DistributedDoubleBarrier(client, "/work", 2).leave(ec);
    EXPECT_EQ(ec, server_error::invalid_state) << "it did not enter";
}

} // namespace
} // namespace docent
