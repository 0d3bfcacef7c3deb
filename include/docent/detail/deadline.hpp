// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace docent::detail {

/// The longest wait, 100 years. Adding it to the present time of a clock cannot overflow.
inline constexpr std::chrono::hours horizon{24 * 365 * 100};

/// Returns the time `timeout` after `now`, but not before `now` and at most `horizon` after it.
///
/// The comparison uses double seconds, which cannot overflow.
template <typename Rep, typename Period>
std::chrono::steady_clock::time_point later(std::chrono::steady_clock::time_point now,
                                            const std::chrono::duration<Rep, Period>& timeout) {
    using Seconds = std::chrono::duration<double>;
    const auto wanted = std::chrono::duration_cast<Seconds>(timeout);
    if (wanted >= Seconds(horizon)) return now + horizon;
    if (wanted <= Seconds::zero()) return now;
    return now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout);
}

/// Returns the time `timeout` from now, with the limits of later().
template <typename Rep, typename Period>
std::chrono::steady_clock::time_point deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
    return later(std::chrono::steady_clock::now(), timeout);
}

/// Returns `timeout` in milliseconds: rounded up, at least 0, at most `horizon`.
template <typename Rep, typename Period>
std::chrono::milliseconds whole_milliseconds(const std::chrono::duration<Rep, Period>& timeout) {
    using Seconds = std::chrono::duration<double>;
    const auto wanted = std::chrono::duration_cast<Seconds>(timeout);
    if (wanted >= Seconds(horizon)) return horizon;
    if (wanted <= Seconds::zero()) return std::chrono::milliseconds::zero();
    return std::chrono::ceil<std::chrono::milliseconds>(timeout);
}

/// Converts a deadline of another clock, which may be the smallest or largest time of that clock.
template <typename Clock, typename Duration>
std::chrono::steady_clock::time_point deadline_at(const std::chrono::time_point<Clock, Duration>& time) {
    using Seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const Seconds left = Seconds(time.time_since_epoch()) - Seconds(now.time_since_epoch());
    if (left >= Seconds(horizon) || left <= Seconds::zero()) return deadline_after(left);
    return deadline_after(time - now);
}

/// How long an acquire waits for the lock.
struct AcquireWait {
    /// The kinds of waits: without limit, until `deadline`, or no wait at all.
    enum class Kind { forever, until, not_at_all } kind = Kind::forever; ///< The kind of wait.
    std::chrono::steady_clock::time_point deadline{};                    ///< The end of the wait for `Kind::until`.
};

} // namespace docent::detail
