// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace docent::cli {

/// One line on standard error, with the program's name in front.
void print_error(std::string_view line);

/// These bytes on standard output, now. Throws std::runtime_error if that fails (a full disk, for example).
void print(std::string_view bytes);

} // namespace docent::cli
