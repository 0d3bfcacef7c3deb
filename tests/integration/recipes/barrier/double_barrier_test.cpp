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

TEST_F(DistributedDoubleBarrierTest, ErrorsNameTheCause) {
    EXPECT_THROW(DistributedDoubleBarrier(client, "work", 2), Error);
    EXPECT_THROW(DistributedDoubleBarrier(client, "/work", 0), Error);
    other.create("/closed", "", {.acl = std::vector{AclEntry{Permission::read, "world", "anyone"}}});
    error_code ec;
    DistributedDoubleBarrier(client, "/closed", 1).enter(ec);
    EXPECT_EQ(ec, server_error::no_auth);
    ours.leave(ec);
    EXPECT_EQ(ec, server_error::invalid_state);
}

} // namespace
} // namespace docent
