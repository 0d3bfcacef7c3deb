// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/deadline.hpp>

#include <chrono>

namespace docent::detail {

/// How long an acquire waits for the lock.
struct AcquireWait {
    /// The kinds of waits: without limit, until `deadline`, or no wait at all.
    enum class Kind { forever, until, not_at_all } kind = Kind::forever; ///< The kind of wait.
    std::chrono::steady_clock::time_point deadline{};                    ///< The end of the wait for `Kind::until`.
};

} // namespace docent::detail
