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
/// Blanks separate words. A word in double quotes is a string of JSON: it may contain blanks and the escapes of JSON. Empty
/// lines, and lines that begin with #, have no effect. Throws UsageError that names line and column.
Transaction parse_transaction(std::string_view text);

} // namespace docent::cli
