// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/transaction.hpp>

#include <string_view>

namespace docent::cli {

/// Reads a transaction, one operation a line:
///
///     create PATH [DATA]
///     set PATH DATA [VERSION]
///     delete PATH [VERSION]
///     check PATH [VERSION]
///
/// Words are separated by blanks. A word in double quotes may contain blanks, and \" \\ \n \t. Empty lines, and lines that
/// begin with #, are passed over. Throws UsageError that names line and column.
Transaction parse_transaction(std::string_view text);

} // namespace docent::cli
