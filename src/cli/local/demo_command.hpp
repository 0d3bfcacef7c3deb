// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

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

/// The result of several clients that take turns under one lock.
struct TurnsResult {
    int turns = 0;
    int counter = 0;  // the sum: each turn reads, pauses and writes
    int overlaps = 0; // turns that began while another client held the lock
    bool tokens_grew = true;
    std::int64_t last_token = 0;
};

inline constexpr int demo_clients = 4;
inline constexpr int demo_turns_each = 5;

/// Lets clients take turns, each with its own session and thread. Prints a line for each turn. Ends early when stopped. Throws
/// docent::Error if a client fails.
TurnsResult take_turns(const std::string& connect_string, const std::stop_token& stop);

} // namespace docent::cli
