// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>

#include <charconv>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// Parses a whole number in decimal digits. Returns false, with any value in `number`, if the text is not such a number, or if
/// `Number` cannot have its value.
template <typename Number> bool parse_number(std::string_view text, Number& number) {
    const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
    return ec == std::errc{} && rest == text.data() + text.size();
}

/// `500ms`, `5s`, `2m`, `1h`, `7d`: a whole number and its unit. A number without a unit is in seconds, as flock has it.
/// Returns nothing if the text is not a duration, or if the duration is longer than a year.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The text of a duration, in the largest unit up to hours that needs no fraction: `1500ms`, `2s`, `2m`, `48h`.
std::string to_text(std::chrono::milliseconds duration);

// Access control lists in the form of ZooKeeper's zkCli.sh: `world:anyone:r,auth::cdrwa`. Pure.

/// Parses entries `SCHEME:ID:PERMISSIONS` with commas in between; an ID may contain colons. Permissions are letters of `cdrwa`:
/// create, delete, read, write, admin. Returns nothing if the text has another form.
std::optional<Acl> parse_acl(std::string_view text);

std::string to_text(const AclEntry& entry);

/// Parses `TERM`, `SIGTERM` or `15`. Returns nothing if it is no signal, or if the signal does not end a program by default.
std::optional<int> parse_signal(std::string_view text);

/// "; did you mean lock?" with the name nearest to `typed`; empty if no name is near. Near means one slip, or two slips in six
/// or more characters. A slip is a missing, surplus or wrong character, or two characters in the wrong order (optimal string
/// alignment, a variant of the Damerau-Levenshtein distance).
std::string did_you_mean(std::string_view typed, const std::vector<std::string_view>& names);

} // namespace docent::cli
