// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace docent::cli {

/// What those say that show who is at a path.
inline constexpr std::string_view no_such_node = "there is no such node, so nobody holds or waits there";

/// One line on standard error, with the program's name in front. Waits until it is written, but at most a second: whoever is to
/// read it may not (a full pipe, a terminal after ^S), and that must hold up nobody's lock.
void print_error(std::string_view line);

/// The same without waiting: for those who have something to do on time. flush_errors() or the next print_error() waits.
void post_error(std::string_view line);
void flush_errors();

/// These bytes on standard output, now. Throws std::runtime_error if that fails (a full disk, for example).
void print(std::string_view bytes);

} // namespace docent::cli
