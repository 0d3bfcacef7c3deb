// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments/duration.hpp"

#include <charconv>
#include <cstdint>

namespace docent::cli {

using std::chrono::milliseconds;

namespace {

struct Unit {
    std::string_view name;
    std::int64_t milliseconds;
};
constexpr Unit default_unit{"s", 1'000};
constexpr Unit units[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, default_unit, {"ms", 1}};

constexpr std::int64_t longest = std::int64_t{366} * 24 * 3'600'000;

} // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, ec] = std::from_chars(text.data(), end, count);
    if (ec != std::errc{} || count < 0 || text.front() == '-') return std::nullopt;

    const std::string_view name(rest, static_cast<std::size_t>(end - rest));
    for (const Unit& unit : units) {
        const bool is_it = name.empty() ? unit.name == default_unit.name : name == unit.name;
        if (is_it && count <= longest / unit.milliseconds) return milliseconds{count * unit.milliseconds};
    }
    return std::nullopt;
}

std::string to_text(milliseconds duration) {
    for (const Unit& unit : units) {
        if (unit.name == "d") continue; // 36h and 2d would be hard to compare
        if (duration.count() >= unit.milliseconds && duration.count() % unit.milliseconds == 0) {
            return std::to_string(duration.count() / unit.milliseconds) + std::string(unit.name);
        }
    }
    return std::to_string(duration.count()) + "ms";
}

} // namespace docent::cli
