// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_table.hpp"
#include "cli/arguments/parse.hpp"

#include <string>

namespace docent::cli {

/// Reads the file's options for one command: the options in front of all sections, and those below `[command]`, which take
/// precedence. Ignores sections of other commands, but checks that their options exist. Throws UsageError, which never shows a
/// value.
Options read_config_file(const std::string& name, const CommandEntry& entry);

} // namespace docent::cli
