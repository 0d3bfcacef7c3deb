// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <string>

namespace docent::cli {

/// What the nodes of a request say of us: its label, or `USER@HOST:PID CMD`. Of CMD only the name: its arguments may be secret,
/// and whoever sees the lock sees its nodes.
std::string label_of(const HoldRequest& request);

std::string machine_name();

} // namespace docent::cli
