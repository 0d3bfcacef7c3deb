// SPDX-License-Identifier: Apache-2.0
#include "base/protection.hpp"

#include <docent/path.hpp>

#include <boost/uuid/uuid_io.hpp>

#include <algorithm>

namespace docent::detail {

std::string protection_prefix(std::string_view guid) {
    std::string prefix;
    prefix.reserve(protection_mark.size() + guid.size() + protection_end.size());
    return prefix.append(protection_mark).append(guid).append(protection_end);
}

std::string protected_path(std::string_view path, std::string_view guid) {
    return join_path(parent_path(path), protection_prefix(guid).append(node_name(path)));
}

std::vector<std::string> find_protected(const std::vector<std::string>& children, std::string_view guid) {
    const std::string prefix = protection_prefix(guid);
    std::vector<std::string> found;
    for (const std::string& child : children) {
        if (child.starts_with(prefix)) found.push_back(child);
    }
    std::sort(found.begin(), found.end());
    return found;
}

namespace {

constexpr std::string_view guid_form = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"; // x: a hexadecimal digit
constexpr std::size_t mark_at = 19;                                            // index in the text, after the third hyphen
constexpr std::size_t low_bits = 12;
constexpr std::uint64_t low_mask = (1U << low_bits) - 1;
constexpr std::uint64_t uuid_version = 4;

/// The first eight bytes, big-endian as in the text.
std::uint64_t first_half(const boost::uuids::uuid& uuid) {
    std::uint64_t half = 0;
    for (std::size_t i = 0; i < 8; ++i) half = half << 8U | uuid.data[i];
    return half;
}

bool is_guid(std::string_view text) noexcept {
    const auto fits = [](char form, char c) {
        return form == 'x' ? (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') : form == c;
    };
    return text.size() == guid_form.size() && std::equal(guid_form.begin(), guid_form.end(), text.begin(), fits);
}

/// The GUID in the name of a protected node; else empty.
std::string_view guid_in(std::string_view name) noexcept {
    if (!name.starts_with(protection_mark)) return {};
    name.remove_prefix(protection_mark.size());
    const std::string_view guid = name.substr(0, guid_form.size());
    return is_guid(guid) && name.substr(guid.size()).starts_with(protection_end) ? guid : std::string_view();
}

} // namespace

MarkedGuids::MarkedGuids(const boost::uuids::uuid& random)
    : mark_(boost::uuids::to_string(random).substr(mark_at)), count_(first_half(random)) {}

std::string MarkedGuids::next() {
    ++count_;
    // From the top: 48 bits of the counter, four of the version, 12 of the counter.
    const std::uint64_t half = (count_ >> low_bits) << (low_bits + 4) | uuid_version << low_bits | (count_ & low_mask);
    boost::uuids::uuid uuid{};
    for (std::size_t i = 0; i < 8; ++i) uuid.data[i] = static_cast<std::uint8_t>(half >> (56 - 8 * i));
    return boost::uuids::to_string(uuid).replace(mark_at, std::string::npos, mark_);
}

std::string_view MarkedGuids::own_guid(std::string_view name) const {
    const std::string_view guid = guid_in(name);
    return guid.ends_with(mark_) ? guid : std::string_view();
}

} // namespace docent::detail

namespace docent {

std::optional<ProtectedName> protected_name(std::string_view path) {
    const std::string_view name = node_name(path);
    const std::string_view guid = detail::guid_in(name);
    if (guid.empty()) return std::nullopt;
    const auto length = detail::protection_mark.size() + guid.size() + detail::protection_end.size();
    return ProtectedName{std::string(guid), std::string(name.substr(length))};
}

} // namespace docent
