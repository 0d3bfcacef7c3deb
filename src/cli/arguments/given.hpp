// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/command.hpp"
#include "cli/arguments/duration.hpp"
#include "cli/arguments/parse.hpp"

#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// What one command was given, read with the rules that all commands share. Members throw UsageError, with a text that names
/// the command and what is wrong.
class Given {
public:
    Given(std::string command, Arguments arguments, const Environment& environment);

    [[noreturn]] void fail(const std::string& what) const;

    bool has(std::string_view option) const;
    /// The last one counts.
    std::optional<std::string> value(std::string_view option) const;
    std::optional<milliseconds> duration(std::string_view option) const;
    template <typename Number> std::optional<Number> number(std::string_view option) const;

    Connection connection() const;
    OutputFormat format() const { return has("--json") ? OutputFormat::json : OutputFormat::text; }

    /// Positional arguments: from `at_least` to `names.size()` of them.
    void expect_positionals(std::size_t at_least, std::initializer_list<std::string_view> names) const;
    /// The first positional argument, which must be a valid path.
    std::string path() const;
    /// The second one; without it, nothing.
    DataSource data() const;
    /// What follows `--`.
    std::vector<std::string> program() const;

private:
    std::vector<AuthInfo> auth() const;

    std::string command_;
    Arguments arguments_;
    const Environment& environment_;
};

template <typename Number> std::optional<Number> Given::number(std::string_view option) const {
    const auto text = value(option);
    if (!text) return std::nullopt;
    Number result{};
    const auto [rest, ec] = std::from_chars(text->data(), text->data() + text->size(), result);
    if (ec != std::errc{} || rest != text->data() + text->size() || result < Number{0}) {
        fail("'" + *text + "' is not a number from 0 to " + std::to_string(std::numeric_limits<Number>::max()) + " for " +
             std::string(option));
    }
    return result;
}

} // namespace docent::cli
