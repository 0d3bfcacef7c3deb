// SPDX-License-Identifier: Apache-2.0
#include "common/process_status.hpp"

#include <fstream>
#include <stdexcept>

long process_status(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(key + ":", 0) == 0) return std::stol(line.substr(key.size() + 1));
    }
    throw std::runtime_error("/proc/self/status has no " + key);
}
