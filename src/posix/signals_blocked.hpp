// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace docent::posix {

/// Blocks all signals in this thread while it lives. Threads that are started meanwhile inherit this.
class SignalsBlocked {
public:
    SignalsBlocked() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

    const sigset_t& before() const noexcept { return before_; }

private:
    sigset_t before_{};
};

} // namespace docent::posix
