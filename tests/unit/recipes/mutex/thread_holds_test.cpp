// SPDX-License-Identifier: Apache-2.0
#include "mutex/thread_holds.hpp"

#include "fake_mutex.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace docent::detail {
namespace {

using Held = ThreadHolds::Held;

class ThreadHoldsTest : public FakeMutexTest {
protected:
    template <typename Function> static void on_another_thread(Function function) { std::thread(function).join(); }

    ThreadHolds holds;
};

TEST_F(ThreadHoldsTest, NothingAtFirst) {
    EXPECT_EQ(holds.held(), Held::nothing);
    EXPECT_FALSE(holds.leave());
    EXPECT_FALSE(holds.stop_token().stop_possible());
    EXPECT_EQ(holds.fencing_token(), 0);
}

TEST_F(ThreadHoldsTest, BelongToTheirThread) {
    holds.enter(acquire(0));
    EXPECT_EQ(holds.held(), Held::surely);
    EXPECT_GT(holds.fencing_token(), 0);
    on_another_thread([&] {
        EXPECT_EQ(holds.held(), Held::nothing);
        EXPECT_FALSE(holds.leave());
    });
    EXPECT_TRUE(holds.leave());
}

TEST_F(ThreadHoldsTest, AreGivenBackByTheLastOfAsManyLeaves) {
    holds.enter(acquire(0));
    holds.enter_again();
    EXPECT_TRUE(holds.leave());
    EXPECT_EQ(holds.held(), Held::surely);
    EXPECT_TRUE(holds.leave());
    EXPECT_EQ(holds.held(), Held::nothing);
    settle();
    EXPECT_TRUE(world.queue().empty());
}

TEST_F(ThreadHoldsTest, AreNotInheritedByALaterThread) { // whose system id may be the same
    Lease lease = acquire(0);
    on_another_thread([&] { holds.enter(std::move(lease)); });
    for (int n = 0; n < 20; ++n) on_another_thread([&] { EXPECT_EQ(holds.held(), Held::nothing); });
}

TEST_F(ThreadHoldsTest, SayWhenTheyAreLostAndCanBeLeft) {
    holds.enter(acquire(0));
    const auto stop = holds.stop_token();
    world.inflict(Fault::end_session, 0);
    ASSERT_TRUE(world.run_until([&] { return stop.stop_requested(); }));
    EXPECT_EQ(holds.held(), Held::lost);
    EXPECT_TRUE(holds.leave());
    EXPECT_EQ(holds.held(), Held::nothing);
}

TEST_F(ThreadHoldsTest, GoWithTheirObject) {
    {
        ThreadHolds short_lived;
        short_lived.enter(acquire(0));
    }
    settle();
    EXPECT_TRUE(world.queue().empty());
}

} // namespace
} // namespace docent::detail
