// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// The command line is wrong. The text says why in one line. Nothing was sent.
class UsageError : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

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

/// `name = value` of a config file, below `[section]`.
struct ConfigLine {
    std::string section; // empty: none
    std::string name;
    std::string value;
    friend bool operator==(const ConfigLine&, const ConfigLine&) = default;
};

/// Reads the text of a config file. Throws UsageError, which never shows a value: it may be secret.
std::vector<ConfigLine> scan_config(const std::string& text);

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// Parses the words after the program's name. Also reads the config file that they or the environment name, and nothing else.
/// Throws UsageError.
Command parse(std::span<const std::string> words, const Environment& environment);

} // namespace docent::cli
