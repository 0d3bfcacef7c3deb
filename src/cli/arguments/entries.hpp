// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <vector>

namespace docent::cli {

// The parts of the command table, in its order.
std::vector<CommandEntry> hold_entries();
std::vector<CommandEntry> view_entries();
std::vector<CommandEntry> node_entries();
std::vector<CommandEntry> local_entries();

/// One that talks to ZooKeeper and can print JSON.
inline CommandEntry printing(CommandEntry entry) {
    entry.connects = Connects::yes;
    entry.json = TakesJson::yes;
    return entry;
}

/// What is wanted of one node.
template <typename Reading> Command build_reading(const ArgumentReader& given) {
    return Reading{.connection = given.connection(), .format = given.format(), .path = given.path()};
}

} // namespace docent::cli
