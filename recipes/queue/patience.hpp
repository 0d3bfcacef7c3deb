// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/acquire_wait.hpp>

#include <chrono>

namespace docent::detail {

enum class Patience {
    waits,          // for its turn; and for a connection as long as its session may come back
    waits_for_turn, // for its turn; but for a connection no longer than `tries_once` does
    tries_once,
};

inline Patience patience_of(const AcquireWait& wait) {
    return wait.kind == AcquireWait::Kind::not_at_all ? Patience::tries_once : Patience::waits;
}

/// No time at all means: if it is free. A deadline that has passed would fail before the answer came. Asked when the call is
/// made: a time that passes before the strand comes to it is over, and no try, which may wait for a connection.
inline AcquireWait without_time_a_try(const AcquireWait& wait, std::chrono::steady_clock::time_point now) {
    const bool no_time = wait.kind == AcquireWait::Kind::until && wait.deadline <= now;
    return no_time ? AcquireWait{AcquireWait::Kind::not_at_all} : wait;
}

} // namespace docent::detail
