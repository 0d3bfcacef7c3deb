// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace docent::cli {

/// Whether standard input is a terminal.
bool can_ask();

/// Asks on standard error and reads the answer from the terminal. Discards earlier input.
bool user_agrees(const std::string& question);

/// Whether an answer means yes: `y` or `yes`, in upper or lower case.
bool is_yes(std::string answer);

} // namespace docent::cli
