// SPDX-License-Identifier: Apache-2.0
#pragma once

// The data of a DistributedAtomicLong's node: eight bytes, big-endian. Empty data is 0; further bytes are ignored (as in
// Curator's DistributedAtomicLong.bytesToValue).

#include "shared/big_endian.hpp"

#include <docent/error.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace docent::detail {

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

} // namespace docent::detail
