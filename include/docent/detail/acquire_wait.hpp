// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace docent::detail {

/// How long an acquire waits for its turn.
struct AcquireWait {
    enum class Kind { forever, until, not_at_all } kind = Kind::forever;
    std::chrono::steady_clock::time_point deadline{};
};

/// In double seconds first: no sum below can overflow, however large the timeout.
template <typename Rep, typename Period>
std::chrono::steady_clock::time_point deadline_after(const std::chrono::duration<Rep, Period>& timeout) {
    const auto now = std::chrono::steady_clock::now();
    constexpr std::chrono::duration<double> horizon = std::chrono::hours{24 * 365 * 100};
    const auto wanted = std::chrono::duration_cast<std::chrono::duration<double>>(timeout);
    if (wanted >= horizon) return now + std::chrono::hours{24 * 365 * 100};
    if (wanted <= std::chrono::duration<double>::zero()) return now;
    return now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(wanted);
}

} // namespace docent::detail
