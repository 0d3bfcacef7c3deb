// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts of users as names of nodes and as words of the plan: all bytes but visible ASCII characters, and also `%` and `/`, are
// written as `%` and two hexadecimal digits. A text of dots only, which is no name of a node, is written like that as well.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace docent::detail {

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

/// Nothing if escaped() has not made `text`.
inline std::optional<std::string> unescaped(std::string_view text) {
    const auto digit = [](char c) -> int {
        if (c >= '0' && c <= '9') return c - '0';
        return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    };
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            out += text[at];
            continue;
        }
        if (at + 2 >= text.size()) return std::nullopt;
        const int high = digit(text[at + 1]);
        const int low = digit(text[at + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return escaped(out) == text ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace docent::detail
