// SPDX-License-Identifier: Apache-2.0
#pragma once

// Big-endian numbers, as Java writes them.

#include "client/core/blocking.hpp"

#include <docent/error.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
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

// The data of a SharedCount's node: four bytes, big-endian.

inline std::optional<std::int32_t> decode_count(std::string_view bytes) {
    if (bytes.size() != sizeof(std::int32_t)) return std::nullopt;
    return from_big_endian<std::int32_t>(bytes);
}

inline std::string encode_count(std::int32_t count) {
    return to_big_endian(count);
}

// The data of a DistributedAtomicLong's node: eight bytes, big-endian. Empty data is 0; further bytes are ignored (as in
// Curator's DistributedAtomicLong.bytesToValue).

inline std::int64_t decode_number(const std::optional<std::string>& bytes, error_code& ec) {
    if (!bytes || bytes->empty()) return 0;
    if (bytes->size() >= sizeof(std::int64_t)) return from_big_endian<std::int64_t>(*bytes);
    if (!ec) ec = error::corrupt_data;
    return 0;
}

inline std::string encode_number(std::int64_t number) {
    return to_big_endian(number);
}

/// Adds as Java does: after the largest number comes the smallest.
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

/// The throwing form of a call that returns a number of `size` bytes. On corrupt_data, the message names the expected data.
template <typename Call> auto throwing_number(std::size_t size, std::string_view operation, std::string_view path, Call call) {
    return checked(call, [&](const error_code& ec) {
        std::string expected;
        if (ec == error::corrupt_data)
            expected = "the node's data is not a number (" + std::to_string(size) + " bytes), or cannot be decompressed";
        throw_if(ec, operation, path, expected);
    });
}

} // namespace docent::detail
