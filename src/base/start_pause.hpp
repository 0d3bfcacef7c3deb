// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/heartbeats.hpp>

#include <algorithm>
#include <chrono>

namespace docent::detail {

/// The longest time that a client waits before it first connects. Relaxed clients are many, and may all start at once.
constexpr std::chrono::milliseconds longest_pause_at_start(std::chrono::milliseconds session_timeout, Heartbeats heartbeats) {
    if (heartbeats != Heartbeats::relaxed) return std::chrono::milliseconds{0};
    return std::min(session_timeout / 10, std::chrono::milliseconds{4'000});
}

} // namespace docent::detail
