// SPDX-License-Identifier: Apache-2.0
#include "base/protection.hpp"

#include <docent/path.hpp>

#include <algorithm>

namespace docent::detail {

std::string protection_prefix(std::string_view guid) {
    std::string prefix;
    prefix.reserve(protection_mark.size() + guid.size() + protection_end.size());
    return prefix.append(protection_mark).append(guid).append(protection_end);
}

std::string protected_path(std::string_view path, std::string_view guid) {
    const std::string_view parent = parent_path(path);
    std::string result;
    result.reserve(path.size() + protection_mark.size() + guid.size() + protection_end.size());
    if (parent != "/") result.append(parent);
    return result.append("/").append(protection_mark).append(guid).append(protection_end).append(node_name(path));
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

} // namespace docent::detail
