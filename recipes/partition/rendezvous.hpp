// SPDX-License-Identifier: Apache-2.0
#pragma once

// Weighted rendezvous hashing: each pair of an item and a member has a score, and the member with the best score is the first
// choice for the item. All arithmetic is on integers, so all processes on all machines compute the same scores.

#include <cstdint>
#include <string_view>

namespace docent::detail {

/// FNV-1a with 64 bits, of these bytes.
std::uint64_t fnv1a(std::string_view bytes) noexcept;

/// The hash of a pair: FNV-1a of the item, a byte 0 and the member, and then the finalizer of SplitMix64.
std::uint64_t pair_hash(std::string_view item, std::string_view member) noexcept;

/// -log2 of (hash | 1) / 2^64, in units of 2^-32, rounded up. At least 1, and less than 2^39.
std::uint64_t distance_of(std::uint64_t hash) noexcept;

/// How far an item is from a member. The member with the least distance in proportion to its weight is the first choice.
struct Distance {
    std::uint64_t length = 0;
    std::uint32_t weight = 1; // of the member; at most max_weight

    /// Whether this distance is shorter.
    bool operator<(const Distance& other) const noexcept { return length * other.weight < other.length * weight; }
};

/// The largest weight of a member. The product of a distance and a weight fits into 64 bits.
inline constexpr std::uint32_t max_weight = 1'000'000;

inline Distance distance_between(std::string_view item, std::string_view member, std::uint32_t weight) noexcept {
    return {distance_of(pair_hash(item, member)), weight};
}

} // namespace docent::detail
