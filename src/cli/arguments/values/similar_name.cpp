// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/values/similar_name.hpp"

#include <algorithm>
#include <cstddef>

namespace docent::cli {
namespace {

std::size_t slips_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before_last(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last.swap(last);
        last.swap(row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = a[i - 1] == b[j - 1];
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row.back();
}

constexpr std::size_t long_name = 6;

} // namespace

std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& names) {
    std::size_t least = typed.size() < long_name ? 1 : 2;
    std::string_view nearest;
    for (const auto name : names) {
        if (std::max(name.size(), typed.size()) - std::min(name.size(), typed.size()) > least) continue;
        const auto slips = slips_between(typed, name);
        if (slips > least || (slips == least && !nearest.empty())) continue;
        least = slips;
        nearest = name;
    }
    return nearest.empty() ? "" : "; did you mean " + std::string(nearest) + "?";
}

} // namespace docent::cli
