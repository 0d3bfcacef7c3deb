// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <fstream>
#include <sstream>
#include <string>

namespace docent::test {

/// Returns true if the process exists, also if only its first thread has ended. A process that has ended and was not waited for
/// does not count.
inline bool is_alive(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    if (!std::getline(stat, text)) return false;
    std::istringstream fields(text.substr(text.rfind(')') + 1)); // the name before may contain anything
    constexpr int after_state = 17;
    std::string state;
    std::string threads;
    fields >> state;
    for (int i = 0; i < after_state; ++i) fields >> threads;
    return state != "Z" || threads != "1";
}

} // namespace docent::test
