// SPDX-License-Identifier: Apache-2.0
#include "fuzz_target.hpp"

#include "cli/arguments/parse.hpp"

#include <sstream>
#include <string>
#include <vector>

/// The input is words, one a line. The result is a command or one message.
DOCENT_FUZZ_TARGET(command_line)(std::string_view input) {
    std::istringstream lines{std::string(input)};
    std::vector<std::string> words;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("--config") || line.starts_with("--auth-file")) continue; // they read files
        words.push_back(line.substr(0, line.find('\0')));
    }
    try {
        docent::cli::parse(words, {});
    } catch (const docent::cli::UsageError& error) {
        docent::fuzz::require(*error.what() != '\0');
    }
}
