// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/acquire_wait.hpp>

#include <chrono>

namespace docent::detail {

enum class WaitMode {
    waits,          // waits for the lock; and for a connection as long as the session may come back
    waits_for_turn, // waits for the lock; but for a connection no longer than `tries_once` does
    tries_once,
};

inline WaitMode wait_mode_of(const AcquireWait& wait) {
    return wait.kind == AcquireWait::Kind::not_at_all ? WaitMode::tries_once : WaitMode::waits;
}

/// Turns a wait without any time into a try; a deadline in the past would fail before the answer came. Called when the call is
/// made. A time that passes before the strand begins the call is over: it must not become a try, which may wait for a
/// connection.
inline AcquireWait without_time_a_try(const AcquireWait& wait, std::chrono::steady_clock::time_point now) {
    const bool no_time = wait.kind == AcquireWait::Kind::until && wait.deadline <= now;
    return no_time ? AcquireWait{AcquireWait::Kind::not_at_all} : wait;
}

} // namespace docent::detail
