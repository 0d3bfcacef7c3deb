// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts of a member's name and of the plan's text.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

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

/// A text of a user as the name of a node and as a word of the plan: all bytes but visible ASCII characters, and also `%` and
/// `/`, are written as `%` and two hexadecimal digits. A text of dots only, which is no name of a node, is written so, too.
inline std::string escaped(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const bool only_dots = text.find_first_not_of('.') == std::string_view::npos;
    std::string out;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        const bool plain = byte > 0x20 && byte < 0x7f && character != '%' && character != '/' && !only_dots;
        if (plain) {
            out += character;
            continue;
        }
        out += '%';
        out += digits[byte >> 4];
        out += digits[byte & 0xf];
    }
    return out;
}

/// Nothing if `text` is no result of escaped().
inline std::optional<std::string> unescaped(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        auto byte = static_cast<unsigned char>(text[at]);
        if (text[at] == '%') {
            if (!read_number(text.substr(at + 1, 2), byte, 16)) return std::nullopt;
            at += 2;
        }
        out += static_cast<char>(byte);
    }
    return escaped(out) == text ? std::optional(std::move(out)) : std::nullopt; // also refuses other forms, such as %4 and %2f
}

} // namespace docent::detail
