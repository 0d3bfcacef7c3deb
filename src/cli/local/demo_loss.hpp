// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>

namespace docent::cli {

/// What happened after the network of a holder had gone silent, in time since then.
struct LossResult {
    std::chrono::milliseconds told{0};    // the holder was told that the lock is lost
    std::chrono::milliseconds granted{0}; // the next one held it
    std::int64_t lost_token = 0;
    std::int64_t next_token = 0;
};

/// A holder behind a proxy that swallows everything, and one that waits for the same lock. Throws docent::Error or
/// std::runtime_error when something else happens than it should; that may be because it was stopped.
LossResult lose_a_holder(std::uint16_t server_port, const std::stop_token& stop);

} // namespace docent::cli
