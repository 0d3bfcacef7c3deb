// SPDX-License-Identifier: Apache-2.0
#pragma once

// A SharedCount's number on its node: four bytes, big-endian (wire-format.md).

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace docent::detail {

inline constexpr std::size_t count_size = 4;

inline std::optional<std::int32_t> decode_count(std::string_view bytes) {
    if (bytes.size() != count_size) return std::nullopt;
    std::uint32_t number = 0;
    for (const char byte : bytes) number = number << 8U | static_cast<unsigned char>(byte);
    return std::bit_cast<std::int32_t>(number);
}

inline std::string encode_count(std::int32_t count) {
    const auto number = std::bit_cast<std::uint32_t>(count);
    std::string bytes;
    for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(number >> shift & 0xffU);
    return bytes;
}

} // namespace docent::detail
