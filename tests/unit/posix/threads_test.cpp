// SPDX-License-Identifier: Apache-2.0
#include "posix/threads.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

namespace docent::posix {
namespace {

constexpr std::size_t rounds = 5'000;

TEST(Parker, AThreadThatWasWokenBeforeDoesNotSleep) {
    Parker parker;
    parker.unpark();
    parker.park();
}

/// Two threads that wake each other in turn.
TEST(Parker, EachThreadWakesAndSeesEarlierWrites) {
    std::vector<Parker> there(rounds);
    std::vector<Parker> back(rounds);
    std::vector<int> written(rounds);
    std::thread other([&] {
        for (std::size_t i = 0; i < rounds; ++i) {
            there[i].park();
            ++written[i];
            back[i].unpark();
        }
    });
    for (std::size_t i = 0; i < rounds; ++i) {
        written[i] = 1;
        there[i].unpark();
        back[i].park();
        EXPECT_EQ(written[i], 2);
    }
    other.join();
}

bool takes(int signal) {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    return ::sigismember(&mask, signal) == 0;
}

TEST(QuietThread, TakesNoSignals) {
    bool quiet = false;
    start_quiet_thread([&] { quiet = !takes(SIGTERM) && !takes(SIGCHLD) && !takes(SIGPIPE) && !takes(SIGTTOU); }).join();
    EXPECT_TRUE(quiet);
    EXPECT_TRUE(takes(SIGTERM));
}

TEST(QuietThread, ThatCannotBeStartedLeavesTheSignalsAsTheyWere) {
    struct ThrowsWhenTheThreadTakesIt {
        ThrowsWhenTheThreadTakesIt() = default;
        [[noreturn]] ThrowsWhenTheThreadTakesIt(ThrowsWhenTheThreadTakesIt&&) { throw std::runtime_error("no"); }
        void operator()() const {}
    };
    EXPECT_THROW(start_quiet_thread(ThrowsWhenTheThreadTakesIt{}), std::runtime_error);
    EXPECT_TRUE(takes(SIGTERM));
}

} // namespace
} // namespace docent::posix
