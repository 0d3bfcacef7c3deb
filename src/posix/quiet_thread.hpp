// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/signals_blocked.hpp"

#include <thread>
#include <utility>

namespace docent::posix {

/// Starts a thread that takes no signals: they belong to the threads of the program.
template <typename Function> std::thread start_quiet_thread(Function function) {
    const SignalsBlocked blocked;
    return std::thread(std::move(function));
}

} // namespace docent::posix
