// SPDX-License-Identifier: Apache-2.0
#include "base/marked_guids.hpp"

#include "base/protection.hpp"

#include <boost/uuid/uuid_io.hpp>

#include <algorithm>

namespace docent::detail {
namespace {

constexpr std::size_t guid_length = 36;
constexpr std::size_t mark_at = 19; // index in the text, after the third hyphen
constexpr std::size_t low_bits = 12;
constexpr std::uint64_t low_mask = (1U << low_bits) - 1;
constexpr std::uint64_t version = 4;

/// The first eight bytes, big-endian as in the text.
std::uint64_t first_half(const boost::uuids::uuid& uuid) {
    std::uint64_t half = 0;
    for (std::size_t i = 0; i < 8; ++i) half = half << 8U | uuid.data[i];
    return half;
}

} // namespace

MarkedGuids::MarkedGuids(const boost::uuids::uuid& random)
    : mark_(boost::uuids::to_string(random).substr(mark_at)), count_(first_half(random)) {}

std::string MarkedGuids::next() {
    ++count_;
    const std::uint64_t half = (count_ >> low_bits) << (low_bits + 4) | version << low_bits | (count_ & low_mask);
    boost::uuids::uuid uuid{};
    for (std::size_t i = 0; i < 8; ++i) uuid.data[i] = static_cast<std::uint8_t>(half >> (56 - 8 * i));
    return boost::uuids::to_string(uuid).replace(mark_at, std::string::npos, mark_);
}

std::string_view MarkedGuids::own_guid(std::string_view name) const {
    if (!name.starts_with(protection_mark)) return {};
    name.remove_prefix(protection_mark.size());
    const auto guid = name.substr(0, std::min(name.size(), guid_length));
    return guid.ends_with(mark_) && name.substr(guid.size()).starts_with(protection_end) ? guid : std::string_view();
}

} // namespace docent::detail
