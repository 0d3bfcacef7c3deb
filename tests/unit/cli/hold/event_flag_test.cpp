// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/event_flag.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace docent::cli {
namespace {

TEST(EventFlag, StaysRaised) {
    EventFlag flag;
    EXPECT_FALSE(flag.raised());
    flag.raise();
    flag.raise();
    EXPECT_TRUE(flag.raised());
    EXPECT_TRUE(flag.raised());
}

TEST(EventFlag, WakesAWaiter) {
    EventFlag flag;
    std::jthread other([&] { flag.raise(); });
    while (!flag.raised()) wait_readable({flag.fd()});
}

} // namespace
} // namespace docent::cli
