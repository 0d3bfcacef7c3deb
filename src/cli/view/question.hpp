// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace docent::cli {

/// Whether there is a terminal to ask at.
bool can_ask();

/// Asks on standard error and reads the answer from the terminal. Input from before the question is no answer to it.
bool user_agrees(const std::string& question);

/// Whether an answer to the question means yes: `y` or `yes`, in any case.
bool is_yes(std::string answer);

} // namespace docent::cli
