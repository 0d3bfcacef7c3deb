// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of a member's name and of the plan's text.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace docent::detail {

/// 16 hexadecimal digits.
inline std::string hex16(std::uint64_t number) {
    std::string digits(16, '0');
    for (std::size_t at = 16; at-- > 0; number >>= 4) digits[at] = "0123456789abcdef"[number & 0xf];
    return digits;
}

/// Removes the part of `text` before `end`, with `end`, and returns it; all of `text` if there is no `end`.
inline std::string_view take_until(std::string_view& text, char end) {
    const auto at = text.find(end);
    const auto part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

/// Returns false unless all of `digits` is a number.
template <typename Number> bool read_number(std::string_view digits, Number& number, int base = 10) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number, base);
    return error == std::errc() && end == digits.data() + digits.size();
}

} // namespace docent::detail
