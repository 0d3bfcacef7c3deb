// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/command_entry.hpp"

#include <string>

namespace docent::cli {

/// What the file says for one command: the options that stand in front of all sections, and those below `[command]`, which
/// beat them. Options of other commands must exist, too, and are passed over. Throws UsageError, which shows no value.
Options read_config_file(const std::string& name, const CommandEntry& entry);

} // namespace docent::cli
