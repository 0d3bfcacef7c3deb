// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/values/acl_text.hpp"

#include <algorithm>
#include <cstdint>

namespace docent::cli {
namespace {

struct Letter {
    char letter;
    Permission permission;
};
constexpr Letter letters[] = {{'c', Permission::create},
                              {'d', Permission::delete_},
                              {'r', Permission::read},
                              {'w', Permission::write},
                              {'a', Permission::admin}};

bool allows(Permission all, Permission one) {
    return (static_cast<std::int32_t>(all) & static_cast<std::int32_t>(one)) != 0;
}

std::optional<Permission> parse_permissions(std::string_view text) {
    if (text.empty()) return std::nullopt;
    auto all = static_cast<Permission>(0);
    for (const char c : text) {
        const auto found = std::find_if(std::begin(letters), std::end(letters), [c](const Letter& l) { return l.letter == c; });
        if (found == std::end(letters)) return std::nullopt;
        all = all | found->permission;
    }
    return all;
}

std::optional<AclEntry> parse_entry(std::string_view text) {
    const auto first = text.find(':');
    const auto last = text.rfind(':');
    if (first == 0 || first == last) return std::nullopt; // also without any colon
    const auto permissions = parse_permissions(text.substr(last + 1));
    if (!permissions) return std::nullopt;
    return AclEntry{*permissions, std::string(text.substr(0, first)), std::string(text.substr(first + 1, last - first - 1))};
}

} // namespace

std::optional<Acl> parse_acl(std::string_view text) {
    Acl acl;
    for (std::size_t begin = 0; begin <= text.size();) {
        const auto end = std::min(text.find(',', begin), text.size());
        auto entry = parse_entry(text.substr(begin, end - begin));
        if (!entry) return std::nullopt;
        acl.push_back(*std::move(entry));
        begin = end + 1;
    }
    return acl;
}

std::string to_text(const AclEntry& entry) {
    std::string text = entry.scheme + ":" + entry.id + ":";
    for (const auto& [letter, permission] : letters) {
        if (allows(entry.permissions, permission)) text += letter;
    }
    return text;
}

} // namespace docent::cli
