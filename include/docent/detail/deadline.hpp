// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace docent::detail {

/// What is as good as for ever: no sum of clocks and times below it can overflow.
inline constexpr std::chrono::hours horizon{24 * 365 * 100};

/// `timeout` after `now`, at most the horizon after it, not before it. In double seconds first, which have room for all.
template <typename Rep, typename Period>
std::chrono::steady_clock::time_point later(std::chrono::steady_clock::time_point now,
                                            const std::chrono::duration<Rep, Period>& timeout) {
    using Seconds = std::chrono::duration<double>;
    const auto wanted = std::chrono::duration_cast<Seconds>(timeout);
    if (wanted >= Seconds(horizon)) return now + horizon;
    if (wanted <= Seconds::zero()) return now;
    return now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(timeout);
}

template <typename Rep, typename Period>
std::chrono::steady_clock::time_point deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
    return later(std::chrono::steady_clock::now(), timeout);
}

/// The same for a time of another clock, which may be the first or the last that it has.
template <typename Clock, typename Duration>
std::chrono::steady_clock::time_point deadline_at(const std::chrono::time_point<Clock, Duration>& time) {
    using Seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const Seconds left = Seconds(time.time_since_epoch()) - Seconds(now.time_since_epoch());
    if (left >= Seconds(horizon) || left <= Seconds::zero()) return deadline_after(left);
    return deadline_after(time - now);
}

} // namespace docent::detail
