// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <string>

namespace docent::cli {

/// The data of the command line, of standard input, or of a file. Throws UsageError if the data is larger than a node can be,
/// and std::runtime_error if it cannot be read.
std::string read_data(const DataSource& source);

} // namespace docent::cli
