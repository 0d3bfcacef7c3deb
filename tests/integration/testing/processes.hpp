// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace docent::test {

/// Field of /proc/PID/stat after the name, which may contain anything: the state is the first, the parent the second. Empty if
/// the process does not exist.
inline std::string stat_field(pid_t pid, int number) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(stat, text);
    std::istringstream fields(text.substr(text.rfind(')') + 1)); // all of the text, if there is no name
    std::string field;
    for (int i = 0; i < number; ++i) fields >> field;
    return field;
}

/// Returns true if the process exists, also if only its first thread has ended. A process that has ended and was not waited for
/// does not count.
inline bool is_alive(pid_t pid) {
    const std::string state = stat_field(pid, 1);
    if (state != "Z") return !state.empty();
    constexpr int threads = 18;
    return std::atoi(stat_field(pid, threads).c_str()) > 1; // none, or 0, while the last one is removed
}

} // namespace docent::test
