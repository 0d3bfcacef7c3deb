// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace docent::cli {

/// What makes a shell complete docent's commands, options and, where they are files or few, values.
std::string bash_completion();
std::string zsh_completion();

} // namespace docent::cli
