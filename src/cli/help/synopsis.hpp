// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <string>

namespace docent::cli {

/// `-f FILE`, `--wait TIME`: how an option is typed, in its shortest form.
std::string typed(const OptionEntry& option);

/// `-f, --file FILE`: all its names.
std::string all_names(const OptionEntry& option);

/// Its help, and the variable that stands for it.
std::string explanation(const OptionEntry& option);

/// `lock PATH [--wait TIME | --no-wait] -- CMD [ARG...]`
std::string synopsis(const CommandEntry& entry);

} // namespace docent::cli
