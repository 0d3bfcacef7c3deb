// SPDX-License-Identifier: Apache-2.0
#include <docent/detail/deadline.hpp>

#include "client/core/connected_operation.hpp"
#include "fake_world.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace docent::detail {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;

const steady_clock::time_point t0{1000s};

TEST(Deadline, IsLaterByTheGivenTime) {
    EXPECT_EQ(later(t0, 250ms), t0 + 250ms);
    EXPECT_EQ(later(t0, 1ns), t0 + 1ns);
    EXPECT_EQ(later(t0, std::chrono::duration<double>(1.5)), t0 + 1500ms);
}

TEST(Deadline, IsAtTheHorizonForTimesThatAreTooLarge) {
    EXPECT_EQ(later(t0, milliseconds::max()), t0 + horizon);
    EXPECT_EQ(later(t0, std::chrono::hours::max()), t0 + horizon);
    EXPECT_EQ(later(t0, steady_clock::duration::max()), t0 + horizon);
    EXPECT_EQ(later(t0, std::chrono::duration<double>(std::numeric_limits<double>::infinity())), t0 + horizon);
}

TEST(Deadline, IsNowForTimesThatAreOver) {
    EXPECT_EQ(later(t0, 0ms), t0);
    EXPECT_EQ(later(t0, -1ms), t0);
    EXPECT_EQ(later(t0, milliseconds::min()), t0);
}

TEST(Deadline, IsInWholeMillisecondsForTheOptionsOfACall) {
    EXPECT_EQ(whole_milliseconds(2s), 2000ms);
    EXPECT_EQ(whole_milliseconds(1us), 1ms);
    EXPECT_EQ(whole_milliseconds(-1h), 0ms);
    EXPECT_EQ(whole_milliseconds(std::chrono::hours::max()), milliseconds(horizon));
    EXPECT_EQ(whole_milliseconds(std::chrono::duration<double>(std::numeric_limits<double>::infinity())), horizon);
}

TEST(Deadline, OfAnotherClockMayBeItsFirstOrLastTime) {
    EXPECT_GE(deadline_at(system_clock::time_point::max()), steady_clock::now() + horizon - 1min);
    const auto system_first = deadline_at(system_clock::time_point::min());
    const auto steady_first = deadline_at(steady_clock::time_point::min());
    const auto in_an_hour = deadline_at(steady_clock::now() + 1h);
    const auto now = steady_clock::now();
    EXPECT_LE(system_first, now);
    EXPECT_LE(steady_first, now);
    EXPECT_LE(in_an_hour, now + 1h);
    EXPECT_GE(in_an_hour, now + 59min);
    EXPECT_GE(deadline_at(steady_clock::time_point::max()), steady_clock::now() + horizon - 1min);
}

/// Retries pause for the time that their policy says, however long it is.
TEST(Deadline, OfAPauseThatIsTooLargeDoesNotCome) {
    FakeWorld world(1, 1, "/lock");
    const auto client = world.share(0);
    ASSERT_TRUE(world.run_until([&] { return client->linked(); }));
    ConnectionWait pause(*client);
    bool over = false;
    pause.pause(milliseconds::max(), [&](error_code) { over = true; });
    const auto began = client->now();
    ASSERT_TRUE(world.run_until([&] { return client->now() - began > 10s; }));
    EXPECT_FALSE(over);
}

} // namespace
} // namespace docent::detail
