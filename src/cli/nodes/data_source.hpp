// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <string>

namespace docent::cli {

/// The data as typed, or everything on standard input. Throws UsageError if that is more than any node can hold,
/// std::runtime_error if it cannot be read.
std::string read_data(const DataSource& source);

} // namespace docent::cli
