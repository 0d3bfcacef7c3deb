// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/command.hpp"
#include "cli/arguments/given.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

enum class Connects { no, yes };
enum class TakesJson { no, yes };
enum class TakesProgram { no, yes };

/// One command: its name, what it takes, and how its arguments become a Command.
struct CommandEntry {
    std::string_view name;
    Command (*build)(const Given&);
    Connects connects;
    TakesJson json = TakesJson::no;
    TakesProgram program = TakesProgram::no;
    std::vector<OptionSpec> options = {};
};

const std::vector<CommandEntry>& command_table();

/// Throws UsageError if there is no such command.
const CommandEntry& find_command(const std::string& name);

} // namespace docent::cli
