// SPDX-License-Identifier: Apache-2.0
#include "posix/sleeper.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

namespace docent::posix {
namespace {

constexpr std::size_t rounds = 5'000;

TEST(Sleeper, WhoIsWokenBeforeDoesNotSleep) {
    Sleeper sleeper;
    sleeper.wake();
    sleeper.sleep();
}

/// Two threads that wake each other in turn.
TEST(Sleeper, NobodyIsLeftAsleepAndAllIsSeenThatWasWrittenBefore) {
    std::vector<Sleeper> there(rounds);
    std::vector<Sleeper> back(rounds);
    std::vector<int> written(rounds);
    std::thread other([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            there[i].sleep();
            ++written[i];
            back[i].wake();
        }
    });
    for (std::size_t i = 0; i < rounds; ++i) {
        written[i] = 1;
        there[i].wake();
        back[i].sleep();
        EXPECT_EQ(written[i], 2);
    }
    other.join();
}

} // namespace
} // namespace docent::posix
