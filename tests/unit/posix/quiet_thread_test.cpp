// SPDX-License-Identifier: Apache-2.0
#include "posix/threads.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace docent::posix {
namespace {

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
