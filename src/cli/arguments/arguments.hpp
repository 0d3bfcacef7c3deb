// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// The values of an option, and their origin. A flag has the value `true`.
struct OptionValues {
    std::vector<std::string> values = {};
    std::string origin = {}; // for messages: `--connect`, `$DOCENT_CONNECT`, `connect in docent.conf`
    std::string file = {};   // the config file, if the option comes from one
    friend bool operator==(const OptionValues&, const OptionValues&) = default;
};

/// Options by name, with both dashes.
using Options = std::map<std::string, OptionValues, std::less<>>;

/// The arguments of one command, not interpreted yet.
struct Arguments {
    Options options = {};
    std::vector<std::string> positionals = {};                 // all words that are not options, also `-`
    std::optional<std::vector<std::string>> after_dashes = {}; // the words after `--`, if it was given
    friend bool operator==(const Arguments&, const Arguments&) = default;
};

} // namespace docent::cli
