// SPDX-License-Identifier: Apache-2.0

// A request that is sent again until it is answered: on servers in memory.

#include "client/operations/request_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace docent::detail {
namespace {

/// The first try removes the node, and its reply is lost. An overloaded server refuses the second try.
TEST(RequestOperation, RemoveWhoseReplyWasLostSucceedsAlsoAfterARefusedTry) {
    FakeWorld world{1, 1, "/lock"};
    FakeClient& client = world.client(0);
    FakeEnsemble& ensemble = world.surroundings().ensemble;
    ensemble.number_next_child("/n", 0);
    ASSERT_TRUE(world.run_until([&] { return client.linked() && world.all_idle(); }));
    int times = 0;
    error_code ec;
    const auto operation =
        std::make_shared<RequestOperation>(world.share(0), zk::RemoveRequest{"/n"}, [&](error_code result, const zk::Reply&) {
            ++times;
            ec = result;
        });
    const auto is_next = [&client] { return client.next_request().starts_with("remove /n"); };
    operation->begin();
    ASSERT_TRUE(world.run_until(is_next));
    client.serve();
    ASSERT_EQ(ensemble.truth().find("/n"), nullptr);
    client.break_link({});
    ASSERT_TRUE(world.run_until(is_next));
    client.throttle_next = true;
    client.serve();
    while (client.can_deliver()) client.deliver();
    EXPECT_EQ(times, 0);
    EXPECT_TRUE(operation->in_doubt()) << "the first try may have been applied";
    ASSERT_TRUE(world.run_until([&] { return times > 0; }));
    EXPECT_FALSE(ec) << ec.message();
}

} // namespace
} // namespace docent::detail
