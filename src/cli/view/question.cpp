// SPDX-License-Identifier: Apache-2.0
#include "cli/view/question.hpp"

#include <algorithm>
#include <cctype>
#include <iostream>

#include <termios.h>
#include <unistd.h>

namespace docent::cli {

bool can_ask() {
    return ::isatty(STDIN_FILENO) != 0;
}

bool user_agrees(const std::string& question) {
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    std::cerr << question << " [y/N] " << std::flush;
    std::string answer;
    return std::getline(std::cin, answer) && is_yes(answer);
}

bool is_yes(std::string answer) {
    const auto blank = [](unsigned char c) { return std::isspace(c) != 0; };
    std::erase_if(answer, blank);
    std::transform(answer.begin(), answer.end(), answer.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return answer == "y" || answer == "yes";
}

} // namespace docent::cli
