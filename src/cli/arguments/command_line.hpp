// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/command_entry.hpp"

#include <span>
#include <string>
#include <vector>

namespace docent::cli {

/// A command line taken apart by CLI11, as the command table says; nothing else is looked at.
struct CommandLine {
    const CommandEntry* command = nullptr; // none was given
    Options leading = {};                  // in front of the command's name
    Arguments arguments = {};              // behind it; `options` has the leading ones, too
};

/// Throws UsageError on commands and options that are not in the table, a value that is missing, or one too many.
CommandLine scan_command_line(std::span<const std::string> words);

/// `name = value` of a config file, below `[section]`.
struct ConfigLine {
    std::string section; // empty: none
    std::string name;
    std::string value;
    friend bool operator==(const ConfigLine&, const ConfigLine&) = default;
};

/// Reads the text of a config file. Throws UsageError that shows no value: it may be secret.
std::vector<ConfigLine> scan_config(const std::string& text);

} // namespace docent::cli
