// SPDX-License-Identifier: Apache-2.0
#pragma once

// Big-endian numbers, as Java writes them.

#include <bit>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace docent::detail {

/// Reads a number from the first bytes. There must be enough bytes.
template <std::signed_integral Number> Number from_big_endian(std::string_view bytes) {
    std::make_unsigned_t<Number> number = 0;
    for (const char byte : bytes.substr(0, sizeof(Number))) number = number << 8U | static_cast<unsigned char>(byte);
    return std::bit_cast<Number>(number);
}

template <std::signed_integral Number> std::string to_big_endian(Number value) {
    const auto number = std::bit_cast<std::make_unsigned_t<Number>>(value);
    std::string bytes;
    for (std::size_t n = sizeof number; n-- > 0;) bytes += static_cast<char>(number >> 8U * n & 0xffU);
    return bytes;
}

} // namespace docent::detail
