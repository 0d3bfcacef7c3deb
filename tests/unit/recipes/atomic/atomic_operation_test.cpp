// SPDX-License-Identifier: Apache-2.0
#include "atomic/atomic_core.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace docent::detail {
namespace {

TEST(AtomicOperation, WhoseTimeIsOverWhileItWaitsForTheMutexHearsThat) {
    FakeWorld world{1, 2, "/lock"};
    const auto settle = [&] {
        ASSERT_TRUE(world.run_until([&] { return world.client(0).linked() && world.client(1).linked() && world.all_idle(); }));
    };
    settle();
    const auto ignored = [](const zk::Reply&) {};
    world.client(1).submit(zk::CreateRequest{.path = "/lock"}, ignored);
    world.client(1).submit(zk::CreateRequest{.path = "/lock/lock-", .data = {}, .mode = CreateMode::ephemeral_sequential},
                           ignored);
    settle();

    const AtomicOptions options{.retry = RetryPolicy::none(), .promoted = PromotedToLock{"/lock"}};
    const auto core =
        std::make_shared<AtomicCore>(world.share(0), "/count", options, [view = world.share(0)] { return view->boot_now(); });
    int answers = 0;
    error_code answer;
    initiate_atomic_force_set(core, "x", {.timeout = std::chrono::seconds(1)}, [&](error_code ec) { // there is no node yet
        ++answers;
        answer = ec;
    });
    ASSERT_TRUE(world.run_until([&] { return world.queue().size() == 2; })) << "it never waited";
    EXPECT_EQ(answers, 0);
    ASSERT_TRUE(world.run_until([&] { return answers > 0; }));
    EXPECT_EQ(answer, server_error::operation_timeout);
    settle();
    EXPECT_EQ(answers, 1);
    EXPECT_EQ(world.queue().size(), 1u) << "and waits no more";
    core->stop();
    settle();
}

} // namespace
} // namespace docent::detail
