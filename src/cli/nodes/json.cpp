// SPDX-License-Identifier: Apache-2.0
#include "cli/nodes/json.hpp"

#include "cli/nodes/stat_fields.hpp"

#include <cstdint>

namespace docent::cli {
namespace {

/// How many bytes at the front make one character; 0 if they make none.
std::size_t character_length(std::string_view bytes) noexcept {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const unsigned char first = at(0);
    if (first < 0x80) return 1;
    if (first < 0xc2 || first > 0xf4) return 0;
    const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (bytes.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if (at(i) < 0x80 || at(i) > 0xbf) return 0;
    }
    const bool overlong = (first == 0xe0 && at(1) < 0xa0) || (first == 0xf0 && at(1) < 0x90);
    const bool surrogate = first == 0xed && at(1) > 0x9f;
    const bool beyond_unicode = first == 0xf4 && at(1) > 0x8f;
    return overlong || surrogate || beyond_unicode ? 0 : length;
}

void append_escaped(std::string& out, unsigned char c) {
    constexpr std::string_view digits = "0123456789abcdef";
    switch (c) {
    case '"': out += "\\\""; return;
    case '\\': out += "\\\\"; return;
    case '\b': out += "\\b"; return;
    case '\f': out += "\\f"; return;
    case '\n': out += "\\n"; return;
    case '\r': out += "\\r"; return;
    case '\t': out += "\\t"; return;
    default: break;
    }
    if (c < 0x20 || c == 0x7f) { // DEL need not be escaped, but a terminal should not get it
        out += "\\u00";
        out += digits[c >> 4];
        out += digits[c & 0x0f];
    } else {
        out += static_cast<char>(c);
    }
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto at = [&](std::size_t j) -> std::uint32_t {
            return j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0;
        };
        const std::uint32_t group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        out += alphabet[group >> 18];
        out += alphabet[group >> 12 & 63];
        out += i + 1 < bytes.size() ? alphabet[group >> 6 & 63] : '=';
        out += i + 2 < bytes.size() ? alphabet[group & 63] : '=';
    }
    return out;
}

} // namespace

bool is_utf8(std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const auto length = character_length(bytes);
        if (length == 0) return false;
        bytes.remove_prefix(length);
    }
    return true;
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    while (!text.empty()) {
        const auto length = character_length(text);
        if (length == 1) {
            append_escaped(out, static_cast<unsigned char>(text.front()));
        } else if (length == 0) {
            out += "\\ufffd";
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out + '"';
}

std::string json_array(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const auto& text : texts) {
        if (out.size() > 1) out += ',';
        out += json_string(text);
    }
    return out + ']';
}

std::string json_data_member(std::string_view data) {
    if (is_utf8(data)) return "\"data\":" + json_string(data);
    return "\"dataBase64\":\"" + base64(data) + '"';
}

std::string json_stat(const Stat& stat) {
    std::string out = "{";
    for (const auto& [name, value] : stat_fields(stat)) {
        if (out.size() > 1) out += ',';
        out += '"' + std::string(name) + "\":" + std::to_string(value);
    }
    return out + '}';
}

} // namespace docent::cli
