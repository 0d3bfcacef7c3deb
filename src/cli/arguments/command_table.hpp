// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <string>
#include <vector>

namespace docent::cli {

// The one table of what can be typed. The parser, help, the man page and the shells' completions are made from it.

const std::vector<CommandEntry>& command_table();

/// Throws UsageError if there is no such command.
const CommandEntry& find_command(const std::string& name);

/// Of all commands that talk to ZooKeeper.
const std::vector<OptionEntry>& connection_options();
const OptionEntry& json_option();
const OptionEntry& help_option();
/// Of the program, without a command.
const OptionEntry& version_option();
/// One of connection_options().
const OptionEntry& config_option();

/// All that a command takes: its own, and those that it shares with others.
std::vector<OptionEntry> options_of(const CommandEntry& entry);
/// All that may stand in front of a command's name.
std::vector<OptionEntry> leading_options();

const std::vector<ExitStatusEntry>& exit_status_table();

} // namespace docent::cli
