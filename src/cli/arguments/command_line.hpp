// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_table.hpp"
#include "cli/arguments/parse.hpp"

#include <span>
#include <string>
#include <vector>

namespace docent::cli {

/// A command line, split by CLI11 and the command table. Reads nothing else.
struct CommandLine {
    const CommandEntry* command = nullptr; // null if no command was given
    Options leading = {};                  // in front of the command's name
    Arguments arguments = {};              // after the command's name; `options` includes the leading options
};

/// Throws UsageError for an unknown command or option, and for a missing or surplus value.
CommandLine scan_command_line(std::span<const std::string> words);

} // namespace docent::cli
