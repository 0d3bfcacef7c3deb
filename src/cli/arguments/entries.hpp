// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <vector>

namespace docent::cli {

// The parts of the command table, in their order.
std::vector<CommandEntry> hold_entries();
std::vector<CommandEntry> view_entries();
std::vector<CommandEntry> node_entries();
std::vector<CommandEntry> local_entries();

/// Makes the entry of a command that connects to ZooKeeper and can print JSON.
inline CommandEntry printing(CommandEntry entry) {
    entry.connects = Connects::yes;
    entry.json = TakesJson::yes;
    return entry;
}

/// Makes the command of a read of one node.
template <typename Reading> Command build_reading(const ArgumentReader& given) {
    return Reading{.connection = given.connection(), .format = given.format(), .path = given.path()};
}

} // namespace docent::cli
