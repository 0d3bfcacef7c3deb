// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/signals_blocked.hpp"

#include <system_error>
#include <thread>
#include <utility>

namespace docent::posix {

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
