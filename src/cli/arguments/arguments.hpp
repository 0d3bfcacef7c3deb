// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// The values that an option was given, and where. A flag that was given has `true`.
struct OptionValues {
    std::vector<std::string> values = {};
    std::string origin = {}; // for messages: `--connect`, `$DOCENT_CONNECT`, `connect in docent.conf`
    std::string file = {};   // the config file, if it was there
    friend bool operator==(const OptionValues&, const OptionValues&) = default;
};

/// By name, with its two dashes.
using Options = std::map<std::string, OptionValues, std::less<>>;

/// What one command was given, not understood yet.
struct Arguments {
    Options options = {};
    std::vector<std::string> positionals = {};                 // everything that is no option; `-` too
    std::optional<std::vector<std::string>> after_dashes = {}; // what follows `--`, if that was there
    friend bool operator==(const Arguments&, const Arguments&) = default;
};

} // namespace docent::cli
