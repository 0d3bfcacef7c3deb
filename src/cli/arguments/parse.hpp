// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace docent::cli {

struct CommandEntry;

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

/// A command line, split by CLI11 and the command table, before the environment and the config file are read.
struct CommandLine {
    const CommandEntry* command = nullptr; // null if no command was given
    Options leading = {};                  // in front of the command's name
    Arguments arguments = {};              // after the command's name; `options` includes the leading options
};

/// Throws UsageError for an unknown command or option, and for a missing or surplus value.
CommandLine scan_command_line(std::span<const std::string> words);

/// `name = value` of a config file, below `[section]`.
struct ConfigLine {
    std::string section; // empty: none
    std::string name;
    std::string value;
};

/// Reads the text of a config file. Throws UsageError, which never shows a value: it may be secret.
std::vector<ConfigLine> scan_config(const std::string& text);

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// Parses the words after the program's name. Also reads the config file that they or the environment name, and nothing else.
/// Throws UsageError.
Command parse(std::span<const std::string> words, const Environment& environment);

} // namespace docent::cli
