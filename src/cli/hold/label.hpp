// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <string>

namespace docent::cli {

/// The data of the request's nodes: its label, or `USER@HOST:PID CMD`. Of CMD, only the name: its arguments may be secret, and
/// every user of the lock can read its nodes.
std::string label_of(const HoldRequest& request);

std::string machine_name();

} // namespace docent::cli
