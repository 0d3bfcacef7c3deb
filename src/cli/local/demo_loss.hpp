// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>

namespace docent::cli {

/// The times of events after the holder's network has gone silent.
struct LossResult {
    std::chrono::milliseconds told{0};    // the holder learned of the loss
    std::chrono::milliseconds granted{0}; // the next holder got the lock
    std::int64_t lost_token = 0;
    std::int64_t next_token = 0;
};

/// Shows a loss: a holder behind a proxy that forwards nothing, and a waiter for the same lock. Throws docent::Error or
/// std::runtime_error on any other result, also after a stop request.
LossResult lose_a_holder(std::uint16_t server_port, const std::stop_token& stop);

} // namespace docent::cli
