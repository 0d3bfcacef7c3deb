// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/arguments/usage_error.hpp"

#include <map>
#include <span>
#include <string>
#include <variant>

namespace docent::cli {

/// Environment variables by name.
using Environment = std::map<std::string, std::string>;

/// Parses the words after the program's name. Also reads the config file that they or the environment name, and nothing else.
std::variant<Command, UsageError> parse(std::span<const std::string> words, const Environment& environment);

} // namespace docent::cli
