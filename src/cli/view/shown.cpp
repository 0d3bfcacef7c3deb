// SPDX-License-Identifier: Apache-2.0

#include "cli/view/shown.hpp"
#include "cli/arguments/values.hpp"
#include "cli/nodes/json.hpp"

#include <cstdint>
#include <span>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

struct Range {
    std::uint32_t first;
    std::uint32_t last;
};

/// Invisible characters, and characters that reverse the order of others: C1, soft hyphen, marks of direction, joiners, tags.
constexpr Range unseen[] = {{0x80, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e}, {0x200b, 0x200f},
                            {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff0, 0xfffb}, {0xe0000, 0xe0fff}};
/// Combining characters, which are drawn onto the character before.
constexpr Range marks[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
                           {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
/// Characters that take two columns.
constexpr Range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},  {0x4e00, 0xa4cf}, {0xac00, 0xd7a3},
                          {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},  {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
                          {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd}};

bool is_in(std::span<const Range> ranges, std::uint32_t code) {
    return std::any_of(ranges.begin(), ranges.end(), [=](Range r) { return r.first <= code && code <= r.last; });
}

bool is_shown(std::uint32_t code, Charset charset) {
    if (code < 0x80) return code >= 0x20 && code != 0x7f;
    return charset == Charset::utf8 && !is_in(unseen, code);
}

std::size_t columns_of(const Character& character) {
    const std::uint32_t code = character.code.value_or(0);
    if (code < 0x300) return 1;
    return is_in(marks, code) ? 0 : is_in(wide, code) ? 2 : 1;
}

std::string mark_of(Charset charset) {
    return charset == Charset::utf8 ? "\xe2\x80\xa6" : "~"; // an ellipsis, of one column
}

} // namespace

std::string short_age(std::chrono::milliseconds age) {
    const long long seconds = std::max<long long>(0, age.count() / 1000);
    const long long minutes = seconds / 60;
    const long long hours = minutes / 60;
    const long long days = hours / 24;
    const auto two_digits = [](long long number) { return (number < 10 ? "0" : "") + std::to_string(number); };
    if (minutes == 0) return std::to_string(seconds) + "s";
    if (hours == 0) return std::to_string(minutes) + "m" + two_digits(seconds % 60) + "s";
    if (days == 0) return std::to_string(hours) + "h" + two_digits(minutes % 60) + "m";
    if (days < 100) return std::to_string(days) + "d" + two_digits(hours % 24) + "h";
    return std::to_string(days) + "d";
}

std::string to_age(std::chrono::milliseconds age) {
    age = std::max(age, 0ms); // the servers' clock may have been set back
    if (age < 1s) return to_text(age);
    if (age < 2min) return to_text(std::chrono::floor<std::chrono::seconds>(age));
    if (age < 2h) return to_text(std::chrono::floor<std::chrono::minutes>(age));
    return to_text(std::chrono::floor<std::chrono::hours>(age));
}

std::chrono::milliseconds age_at(std::chrono::system_clock::time_point now, long long created) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
    return since - std::chrono::milliseconds(std::clamp<long long>(created, 0, std::max<long long>(0, since.count())));
}

std::string mixture_text(const std::vector<std::string>& kinds) {
    std::vector<std::string> different;
    for (const std::string& kind : kinds) {
        if (!contains(different, kind)) different.push_back(kind);
    }
    if (different.size() < 2) return {};
    std::string text = different.front();
    for (std::size_t i = 1; i < different.size(); ++i) text += (i + 1 < different.size() ? ", " : " and ") + different[i];
    return text + " are at one path: they do not exclude each other";
}

std::string shown(std::string_view text, Charset charset) {
    std::string out;
    while (!text.empty()) {
        const Character first = first_character(text);
        if (first.code && is_shown(*first.code, charset)) out += first.bytes;
        else out += '?';
        text.remove_prefix(first.bytes.size());
    }
    return out;
}

bool was_asked_for(std::string_view label) noexcept {
    if (!label.starts_with(revocation_request)) return false;
    return label.size() == revocation_request.size() || label[revocation_request.size()] == '\n';
}

std::string_view without_request(std::string_view label) noexcept {
    if (was_asked_for(label)) label.remove_prefix(std::min(label.size(), revocation_request.size() + 1));
    return label;
}

std::string shown_label(std::string_view label, Charset charset) {
    if (label.empty()) return "-";
    if (!was_asked_for(label)) return shown(label, charset);
    const std::string_view before = without_request(label);
    return "(asked to give it up)" + (before.empty() ? "" : " " + shown(before, charset));
}

std::size_t columns_of(std::string_view text) noexcept {
    std::size_t columns = 0;
    while (!text.empty()) {
        const Character first = first_character(text);
        columns += columns_of(first);
        text.remove_prefix(first.bytes.size());
    }
    return columns;
}

std::string cut(std::string_view text, std::size_t columns, Charset charset) {
    if (columns_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::string out;
    std::size_t used = 0;
    while (!text.empty()) {
        const Character first = first_character(text);
        used += columns_of(first);
        if (used > columns - 1) break;
        out += first.bytes;
        text.remove_prefix(first.bytes.size());
    }
    return out + mark_of(charset);
}

std::string cut_in_front(std::string_view text, std::size_t columns, Charset charset) {
    if (columns_of(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    while (columns_of(text) > columns - 1) text.remove_prefix(first_character(text).bytes.size());
    return mark_of(charset) + std::string(text);
}

std::string left_aligned(std::string text, std::size_t columns) {
    const auto used = columns_of(text);
    if (used < columns) text.append(columns - used, ' ');
    return text;
}

std::string right_aligned(const std::string& text, std::size_t columns) {
    const auto used = columns_of(text);
    return used < columns ? std::string(columns - used, ' ') + text : text;
}

} // namespace docent::cli
