// SPDX-License-Identifier: Apache-2.0

#include "cli/arguments/values.hpp"

#include <signal.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>

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

namespace {

constexpr int last_with_a_name = 31; // real-time signals follow, without a meaning

bool ends_a_program(int signal) {
    const auto none = {SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH};
    return signal >= 1 && signal <= last_with_a_name && std::find(none.begin(), none.end(), signal) == none.end();
}

std::optional<int> by_name(std::string_view name) {
    for (int signal = 1; signal <= last_with_a_name; ++signal) {
        const char* const known = ::sigabbrev_np(signal);
        if (known != nullptr && name == known) return signal;
    }
    return std::nullopt;
}

} // namespace

std::optional<int> parse_signal(std::string_view text) {
    int number = 0;
    const auto signal =
        parse_number(text, number) ? std::optional(number) : by_name(text.starts_with("SIG") ? text.substr(3) : text);
    return signal && ends_a_program(*signal) ? signal : std::nullopt;
}

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
