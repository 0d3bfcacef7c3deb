// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace docent::cli {

/// The scripts that complete docent's commands, options, values and nodes.
std::string bash_completion();
std::string zsh_completion();

} // namespace docent::cli
