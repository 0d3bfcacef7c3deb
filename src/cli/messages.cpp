// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace docent::cli {

void print_error(std::string_view line) {
    std::string text = "docent: ";
    for (const char c : line) text += c == '\n' ? ' ' : c; // what was typed may contain line ends
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stderr); // unbuffered: one write, not torn apart by other processes'
}

void print(std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() || std::fflush(stdout) != 0) {
        throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
    }
}

} // namespace docent::cli
