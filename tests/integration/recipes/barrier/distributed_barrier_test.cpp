// SPDX-License-Identifier: Apache-2.0
#include "eventually.hpp"
#include "proxied_test.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>

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

TEST_F(DistributedBarrierTest, ErrorsNameTheCause) {
    EXPECT_THROW(DistributedBarrier(client, "gate"), Error);
    other.create("/closed", "", {.acl = std::vector{AclEntry{Permission::read, "world", "anyone"}}});
    error_code ec;
    DistributedBarrier(client, "/closed/barrier").set(ec);
    EXPECT_EQ(ec, server_error::no_auth);
}

} // namespace
} // namespace docent
