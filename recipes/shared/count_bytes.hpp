// SPDX-License-Identifier: Apache-2.0
#pragma once

// The data of a SharedCount's node: four bytes, big-endian.

#include "shared/big_endian.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace docent::detail {

inline std::optional<std::int32_t> decode_count(std::string_view bytes) {
    if (bytes.size() != sizeof(std::int32_t)) return std::nullopt;
    return from_big_endian<std::int32_t>(bytes);
}

inline std::string encode_count(std::int32_t count) {
    return to_big_endian(count);
}

} // namespace docent::detail
