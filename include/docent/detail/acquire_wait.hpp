// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/deadline.hpp>

#include <chrono>

namespace docent::detail {

/// How long an acquire waits for its turn.
struct AcquireWait {
    enum class Kind { forever, until, not_at_all } kind = Kind::forever;
    std::chrono::steady_clock::time_point deadline{};
};

} // namespace docent::detail
