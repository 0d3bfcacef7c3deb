// SPDX-License-Identifier: Apache-2.0
#include "mutex/mutex_core.hpp"

#include "fake_mutex.hpp"
#include "in_threads.hpp"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <utility>

namespace docent::detail {
namespace {

using Ownership = ThreadHolds::Ownership;

class ThreadHoldsTest : public FakeMutexTest, public testing::WithParamInterface<ThreadHolds::Threads> {
protected:
    template <typename Function> static void on_another_thread(Function function) { std::thread(function).join(); }

    ThreadHolds holds{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(OfThreads, ThreadHoldsTest, testing::Values(ThreadHolds::Threads::few, ThreadHolds::Threads::many));

TEST_P(ThreadHoldsTest, NothingAtFirst) {
    EXPECT_EQ(holds.held(), Ownership::nothing);
    EXPECT_FALSE(holds.leave());
    EXPECT_EQ(holds.lease(), nullptr);
}

TEST_P(ThreadHoldsTest, BelongToTheirThread) {
    holds.enter(acquire(0));
    EXPECT_EQ(holds.held(), Ownership::surely);
    EXPECT_GT(holds.lease()->fencing_token(), 0);
    on_another_thread([&] {
        EXPECT_EQ(holds.held(), Ownership::nothing);
        EXPECT_FALSE(holds.leave());
    });
    EXPECT_TRUE(holds.leave());
}

TEST_P(ThreadHoldsTest, AreManyThreadsEachForItself) {
    holds.enter(acquire(0));
    std::latch all_hold{20};
    test::in_threads(20, [&](int) {
        holds.enter(Lease{});
        all_hold.arrive_and_wait();
        EXPECT_EQ(holds.held(), Ownership::lost) << "of a lease that was none";
        EXPECT_TRUE(holds.leave());
        EXPECT_EQ(holds.held(), Ownership::nothing);
    });
    EXPECT_EQ(holds.held(), Ownership::surely);
}

TEST_P(ThreadHoldsTest, AreGivenBackByTheLastOfAsManyLeaves) {
    holds.enter(acquire(0));
    holds.enter_again();
    EXPECT_TRUE(holds.leave());
    EXPECT_EQ(holds.held(), Ownership::surely);
    EXPECT_TRUE(holds.leave());
    EXPECT_EQ(holds.held(), Ownership::nothing);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_P(ThreadHoldsTest, AreNotInheritedByALaterThread) { // the system may give a later thread the same id
    Lease lease = acquire(0);
    on_another_thread([&] { holds.enter(std::move(lease)); });
    for (int n = 0; n < 20; ++n) on_another_thread([&] { EXPECT_EQ(holds.held(), Ownership::nothing); });
}

TEST_P(ThreadHoldsTest, SayWhenTheyAreLostAndCanBeLeft) {
    holds.enter(acquire(0));
    const auto stop = holds.lease()->stop_token();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_EQ(holds.held(), Ownership::lost);
    EXPECT_TRUE(holds.leave());
    EXPECT_EQ(holds.held(), Ownership::nothing);
}

TEST_P(ThreadHoldsTest, GoWithTheirObject) {
    {
        ThreadHolds short_lived{GetParam()};
        short_lived.enter(acquire(0));
    }
    settle();
    EXPECT_TRUE(world.queue().empty());
}

} // namespace
} // namespace docent::detail
