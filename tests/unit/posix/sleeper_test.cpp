// SPDX-License-Identifier: Apache-2.0
#include "posix/bell.hpp"
#include "posix/sleeper.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

namespace docent::posix {
namespace {

using Woke = Sleeper::Woke;

constexpr std::size_t rounds = 5'000;
constexpr std::chrono::milliseconds longest = std::chrono::minutes{1};

class Pipe {
public:
    Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
    ~Pipe() {
        for (const int end : ends_) ::close(end);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    int from() const { return ends_[0]; }
    void write() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }

private:
    std::array<int, 2> ends_{};
};

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

/// The same, beside something to read.
TEST(Sleeper, BesideInputNobodyIsLeftAsleepEither) {
    const auto bell = Bell::make();
    ASSERT_TRUE(bell);
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
    const Pipe nothing;
    for (std::size_t i = 0; i < rounds; ++i) {
        written[i] = 1;
        there[i].wake();
        while (back[i].sleep_beside(nothing.from(), bell, longest) != Woke::by_wake) {
        }
        EXPECT_TRUE(back[i].is_woken());
        EXPECT_EQ(written[i], 2);
    }
    other.join();
}

TEST(Sleeper, IsWokenByInputAndSleepsOn) {
    const auto bell = Bell::make();
    const Pipe input;
    Sleeper sleeper;
    EXPECT_EQ(sleeper.sleep_beside(input.from(), bell, std::chrono::milliseconds{0}), Woke::too_early);
    input.write();
    EXPECT_EQ(sleeper.sleep_beside(input.from(), bell, longest), Woke::by_input);
    EXPECT_FALSE(sleeper.is_woken());
    sleeper.wake();
    EXPECT_EQ(sleeper.sleep_beside(input.from(), bell, longest), Woke::by_wake);
    sleeper.sleep(); // at once
}

/// Whoever was woken may be gone before its bell is rung.
TEST(Sleeper, ABellThatWasRungForSomebodyElseIsSilencedOnce) {
    const auto bell = Bell::make();
    const Pipe nothing;
    bell->ring();
    Sleeper sleeper;
    EXPECT_EQ(sleeper.sleep_beside(nothing.from(), bell, longest), Woke::too_early);
    std::thread other([&] { sleeper.wake(); });
    EXPECT_EQ(sleeper.sleep_beside(nothing.from(), bell, longest), Woke::by_wake);
    other.join();
}

} // namespace
} // namespace docent::posix
