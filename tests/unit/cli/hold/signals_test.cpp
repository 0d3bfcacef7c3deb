// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/signals.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace docent::cli {
namespace {

TEST(Signals, AreReadInsteadOfInterrupting) {
    Signals signals{SIGTERM, SIGHUP};
    EXPECT_EQ(signals.next(), std::nullopt);
    ::raise(SIGTERM);
    EXPECT_EQ(signals.next(), (ReceivedSignal{SIGTERM, false}));
    EXPECT_EQ(signals.next(), std::nullopt);
}

TEST(Signals, RestoreTheMask) {
    sigset_t mask;
    {
        const Signals signals{SIGTERM};
        ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        EXPECT_TRUE(::sigismember(&mask, SIGTERM));
    }
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_FALSE(::sigismember(&mask, SIGTERM));
}

TEST(Signals, WhatNohupIgnoresStaysIgnored) {
    ::signal(SIGHUP, SIG_IGN);
    {
        Signals signals{SIGHUP, SIGTERM};
        ::raise(SIGHUP);
        EXPECT_EQ(signals.next(), std::nullopt);
    }
    ::signal(SIGHUP, SIG_DFL);
}

} // namespace
} // namespace docent::cli
