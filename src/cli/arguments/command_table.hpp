// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <string>
#include <vector>

namespace docent::cli {

// The table of all commands and options. The parser, the help, the man page and the shells' completions are made from it.

const std::vector<CommandEntry>& command_table();

/// Throws UsageError if there is no such command.
const CommandEntry& find_command(const std::string& name);

/// The options of all commands that connect to ZooKeeper.
const std::vector<OptionEntry>& connection_options();
const OptionEntry& json_option();
const OptionEntry& help_option();
/// The option `--version` of the program.
const OptionEntry& version_option();
/// One of connection_options().
const OptionEntry& config_option();

/// All options of a command: its own, and the options that it shares with others.
std::vector<OptionEntry> options_of(const CommandEntry& entry);
/// All options that may stand in front of a command's name.
std::vector<OptionEntry> leading_options();

const std::vector<ExitStatusEntry>& exit_status_table();

} // namespace docent::cli
