// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace docent::cli {

/// Quotes a word so that a shell takes it literally.
inline std::string shell_word(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

/// The standard output and standard error of a command line.
inline std::string shell_output(const std::string& command) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(::popen(("{ " + command + "; } 2>&1").c_str(), "r"), &::pclose);
    std::string result;
    for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) result += static_cast<char>(c);
    return result;
}

} // namespace docent::cli
