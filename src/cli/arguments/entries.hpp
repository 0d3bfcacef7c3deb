// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <vector>

namespace docent::cli {

// The parts of the command table, in its order.
std::vector<CommandEntry> hold_entries();
std::vector<CommandEntry> node_entries();
std::vector<CommandEntry> local_entries();

} // namespace docent::cli
