// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace docent::cli {

/// The message of the commands that show holders and waiters.
inline constexpr std::string_view no_such_node = "there is no such node, so nobody holds or waits there";

/// Prints one line on standard error, with the program's name in front. Waits until it is written, for a second at most: a full
/// pipe, or a terminal after ^S, must not delay a lock.
void print_error(std::string_view line);

/// The same without waiting, for callers that have a time limit. flush_errors() or the next print_error() waits.
void post_error(std::string_view line);
void flush_errors();

/// Writes to standard output, unbuffered. Throws std::runtime_error on a failure, for example on a full disk.
void print(std::string_view bytes);

} // namespace docent::cli
