// SPDX-License-Identifier: Apache-2.0
#include "cli/view/semaphore_place.hpp"

#include <docent/path.hpp>
#include <docent/recipes/inspection.hpp>

#include <algorithm>
#include <string_view>

namespace docent::cli {

bool is_semaphore(Client& client, const std::string& path, const std::vector<std::string>& children) {
    const auto has = [&](std::string_view name) { return std::find(children.begin(), children.end(), name) != children.end(); };
    if (!has("leases")) return false;
    if (has("locks")) return true;
    error_code ignored;
    const auto leases = client.children(join_path(path, "leases"), ignored).names;
    return !inspect_names(path, {.children = {}, .leases = leases}).participants.empty();
}

} // namespace docent::cli
