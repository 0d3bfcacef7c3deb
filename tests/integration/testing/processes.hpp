// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace docent::test {

/// Whether there is such a process; one that has ended and that nobody has collected does not count.
inline bool is_alive(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    return std::getline(stat, text) && text.find(") Z ") == text.npos;
}

} // namespace docent::test
