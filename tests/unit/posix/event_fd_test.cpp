// SPDX-License-Identifier: Apache-2.0
#include "posix/event_fd.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace docent::posix {
namespace {

TEST(EventFd, StaysRaised) {
    EventFd flag;
    EXPECT_FALSE(flag.raised());
    flag.raise();
    flag.raise();
    EXPECT_TRUE(flag.raised());
    EXPECT_TRUE(flag.raised());
}

TEST(EventFd, WakesAWaiter) {
    EventFd flag;
    std::jthread other([&] { flag.raise(); });
    while (!flag.raised()) wait_readable({flag.fd()});
}

} // namespace
} // namespace docent::posix
