// SPDX-License-Identifier: Apache-2.0
#include "logging/log_line.hpp"

#include <algorithm>

namespace docent::logging {
namespace {

bool is_printable(unsigned char c) {
    return c >= 0x20 && c < 0x7f;
}

bool is_plain(unsigned char c) {
    return is_printable(c) && c != ' ' && c != '"' && c != '\\' && c != '=';
}

void append_quoted(std::string& text, std::string_view value) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += '"';
    for (const char byte : value) {
        const auto c = static_cast<unsigned char>(byte);
        if (!is_printable(c)) {
            text += "\\x";
            text += digits[c >> 4];
            text += digits[c & 0x0f];
            continue;
        }
        if (byte == '"' || byte == '\\') text += '\\';
        text += byte;
    }
    text += '"';
}

} // namespace

LogLine& LogLine::add(std::string_view key, std::string_view value) {
    if (!text_.empty()) text_ += ' ';
    text_ += key;
    text_ += '=';
    if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain)) {
        text_ += value;
    } else {
        append_quoted(text_, value);
    }
    return *this;
}

} // namespace docent::logging
