// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

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

/// Starts a thread that handles no signals: the program's threads do. Throws std::system_error.
template <typename Function> std::thread start_quiet_thread(Function function) {
    const SignalsBlocked blocked;
    try {
        return std::thread(std::move(function));
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "no thread can be started");
    }
}

/// The same with a std::jthread. `function` takes a std::stop_token.
template <typename Function> std::jthread start_quiet_jthread(Function function) {
    const SignalsBlocked blocked;
    try {
        return std::jthread(std::move(function));
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "no thread can be started");
    }
}

} // namespace docent::posix
