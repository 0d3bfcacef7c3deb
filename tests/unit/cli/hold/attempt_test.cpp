// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/hold.hpp"

#include <gtest/gtest.h>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

TEST(WaitLimits, ServersHaveTheWholeTimeOfWaitAndAtLeastASecond) {
    EXPECT_EQ(time_to_connect(AtMostInQueue{3s}, 5s), 3s);
    EXPECT_EQ(time_to_connect(AtMostInQueue{30s}, 5s), 30s);
    EXPECT_EQ(time_to_connect(AtMostInQueue{10ms}, 5s), 1s);
    EXPECT_EQ(time_to_connect(ForeverInQueue{}, 5s), 5s);
    EXPECT_EQ(time_to_connect(NoQueue{}, 5s), 5s);
}

TEST(WaitLimits, TheQueueHasTheTimeThatConnectingLeaves) {
    EXPECT_EQ(left_in_queue(AtMostInQueue{3s}, 1s), QueueTime{AtMostInQueue{2s}});
    EXPECT_EQ(left_in_queue(AtMostInQueue{3s}, 3s), QueueTime{NoQueue{}});
    EXPECT_EQ(left_in_queue(AtMostInQueue{0s}, 1s), QueueTime{NoQueue{}});
    EXPECT_EQ(left_in_queue(ForeverInQueue{}, 1h), QueueTime{ForeverInQueue{}});
    EXPECT_EQ(left_in_queue(NoQueue{}, 1h), QueueTime{NoQueue{}});
}

} // namespace
} // namespace docent::cli
