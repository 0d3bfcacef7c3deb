// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "proxied_test.hpp"

#include <docent/docent.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <gtest/gtest.h>

#include <future>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::test::eventually;

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

TEST_F(CountDownLatchOnServers, ErrorsNameTheCause) {
    EXPECT_THROW(CountDownLatch(client, "jobs", 1), Error);
    EXPECT_THROW(CountDownLatch(client, "/jobs", 0), Error);
    error_code ec;
    ours.count_down(0, ec);
    EXPECT_EQ(ec, server_error::bad_arguments);
}

} // namespace
} // namespace docent
