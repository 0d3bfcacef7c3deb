// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command_entry.hpp"

#include <string>

namespace docent::cli {

/// `-f FILE`, `--wait TIME`: the shortest form of an option.
std::string typed(const OptionEntry& option);

/// `-f, --file FILE`: all names of an option.
std::string all_names(const OptionEntry& option);

/// The option's help, with its environment variable.
std::string explanation(const OptionEntry& option);

/// `lock PATH [--wait TIME | --no-wait] -- CMD [ARG...]`
std::string synopsis(const CommandEntry& entry);

} // namespace docent::cli
