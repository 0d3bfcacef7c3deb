// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace docent::test {

/// Returns true if the process exists. A process that has ended and was not waited for does not count.
inline bool is_alive(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    return std::getline(stat, text) && text.find(") Z ") == text.npos;
}

} // namespace docent::test
