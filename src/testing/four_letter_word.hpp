// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace docent::testing {

/// The longest time that a server may take to answer.
inline constexpr std::chrono::seconds longest_answer{5};

/// Sends a four-letter word to the server at this port of 127.0.0.1. Throws std::runtime_error without an answer in time.
std::string ask_server(std::uint16_t port, std::string_view word, std::chrono::milliseconds timeout);

/// The value in a line `name<separator>value` of an answer; empty without such a line.
std::string_view answer_field(std::string_view answer, std::string_view name, char separator);

} // namespace docent::testing
