// SPDX-License-Identifier: Apache-2.0
#include "partition/rendezvous.hpp"

#include <bit>

namespace docent::detail {
namespace {

constexpr std::uint64_t fnv_start = 0xcbf29ce484222325;

std::uint64_t fnv1a_from(std::uint64_t hash, std::string_view bytes) noexcept {
    constexpr std::uint64_t prime = 0x100000001b3;
    for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * prime;
    return hash;
}

/// The upper 64 bits of the square of `x`.
std::uint64_t high_square(std::uint64_t x) noexcept {
    const std::uint64_t high = x >> 32;
    const std::uint64_t low = x & 0xffffffff;
    const std::uint64_t middle = high * low;
    const std::uint64_t carry = ((low * low >> 32) + 2 * (middle & 0xffffffff)) >> 32;
    return high * high + 2 * (middle >> 32) + carry;
}

} // namespace

std::uint64_t fnv1a(std::string_view bytes) noexcept {
    return fnv1a_from(fnv_start, bytes);
}

std::uint64_t pair_hash(std::string_view item, std::string_view member) noexcept {
    using namespace std::string_view_literals;
    std::uint64_t hash = fnv1a_from(fnv1a_from(fnv1a(item), "\0"sv), member);
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
}

std::uint64_t distance_of(std::uint64_t hash) noexcept {
    hash |= 1;
    const int zeros = std::countl_zero(hash);
    std::uint64_t mantissa = hash << zeros; // from 2^63 on
    std::uint64_t log = static_cast<std::uint64_t>(63 - zeros);
    for (int bit = 0; bit < 32; ++bit) { // each square of the mantissa shows the next bit of the logarithm
        const std::uint64_t square = high_square(mantissa);
        const bool carries = square >> 63 != 0;
        log = log << 1 | (carries ? 1 : 0);
        mantissa = carries ? square : square << 1;
    }
    const std::uint64_t whole = std::uint64_t{64} << 32;
    return whole - log;
}

} // namespace docent::detail
