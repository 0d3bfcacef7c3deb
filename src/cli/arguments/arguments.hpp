// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

enum class OptionKind { flag, with_value };

struct OptionSpec {
    std::string_view name; // with its dashes
    OptionKind kind;
};

struct GivenOption {
    std::string name;
    std::string value; // empty for flags
    friend bool operator==(const GivenOption&, const GivenOption&) = default;
};

/// A command line taken apart, without knowing what it means.
struct Arguments {
    std::vector<GivenOption> options = {};                     // in their order
    std::vector<std::string> positionals = {};                 // everything that is no option; `-` too
    std::optional<std::vector<std::string>> after_dashes = {}; // what follows `--`, if that was there
    friend bool operator==(const Arguments&, const Arguments&) = default;
};

/// Takes `--name value`, `--name=value` and `--flag` out of `words`. Throws UsageError on an option that is not in `known`, a
/// value that is missing, or one too many.
Arguments scan_arguments(std::span<const std::string> words, std::span<const OptionSpec> known);

/// How many words at the beginning are options of `known` and their values.
std::size_t count_leading_options(std::span<const std::string> words, std::span<const OptionSpec> known);

} // namespace docent::cli
