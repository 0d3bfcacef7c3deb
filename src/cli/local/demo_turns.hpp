// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

namespace docent::cli {

/// What was seen when several clients took turns under one lock.
struct TurnsResult {
    int turns = 0;
    int counter = 0;  // what they counted together, each reading, pausing, writing
    int overlaps = 0; // times when somebody was inside already
    bool tokens_grew = true;
    std::int64_t last_token = 0;
};

inline constexpr int demo_clients = 4;
inline constexpr int demo_turns_each = 5;

/// Each client has a session and a thread of its own. Prints a line a turn. Ends early when stopped; throws docent::Error when
/// one of them fails.
TurnsResult take_turns(const std::string& connect_string, const std::stop_token& stop);

} // namespace docent::cli
