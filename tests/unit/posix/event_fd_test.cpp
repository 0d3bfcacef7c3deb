// SPDX-License-Identifier: Apache-2.0
#include "posix/event_fd.hpp"

#include "limits.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace docent::posix {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

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

TEST(WaitReadable, PausesWhenTheKernelRefusesToWait) {
    const EventFd one;
    const EventFd other;
    const test::LoweredDescriptorLimit limit(1);
    auto begin = steady_clock::now();
    wait_readable({one.fd(), other.fd()}, 30ms);
    EXPECT_GE(steady_clock::now() - begin, 30ms);
    begin = steady_clock::now();
    wait_readable({one.fd(), other.fd()});
    EXPECT_GE(steady_clock::now() - begin, 100ms) << "and returns: the caller looks itself";
}

} // namespace
} // namespace docent::posix
