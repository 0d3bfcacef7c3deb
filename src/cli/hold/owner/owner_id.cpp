// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/owner/owner_id.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace docent::cli {
namespace {

constexpr std::size_t longest_owner = 200; // LockOptions::owner

/// Of 48 bits: as many programs as hold locks at a time are not alike.
std::string random_id() {
    std::random_device device;
    const std::uint64_t number = (std::uint64_t{device()} << 32 | device()) >> 16;
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%012llx", static_cast<unsigned long long>(number));
    return text.data();
}

} // namespace

std::optional<std::string> owner_below(std::string_view inherited, std::string_view own) {
    const auto is_graphic = [](char c) { return c > 0x20 && c < 0x7f; };
    if (inherited.empty()) return std::string(own);
    const bool can_be = std::all_of(inherited.begin(), inherited.end(), is_graphic);
    if (!can_be || inherited.size() + 1 + own.size() > longest_owner) return std::nullopt;
    return std::string(inherited) + "/" + std::string(own);
}

namespace {

std::string_view inherited_owner() {
    const char* const inherited = std::getenv(owner_variable);
    return inherited != nullptr ? inherited : "";
}

} // namespace

bool is_below_a_holder() {
    return !inherited_owner().empty();
}

const std::optional<std::string>& own_owner() {
    static const std::optional<std::string> owner = owner_below(inherited_owner(), random_id());
    return owner;
}

} // namespace docent::cli
