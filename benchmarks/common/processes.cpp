// SPDX-License-Identifier: Apache-2.0
#include "common/processes.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>

void in_processes(int count, const std::function<void(int)>& work) {
    const auto ended_well = docent::test::run_in_processes(static_cast<std::size_t>(count),
                                                           [&](std::size_t index) { work(static_cast<int>(index)); });
    if (std::find(ended_well.begin(), ended_well.end(), false) != ended_well.end())
        throw std::runtime_error("a process has failed");
}

long process_status(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(key + ":", 0) == 0) return std::stol(line.substr(key.size() + 1));
    }
    throw std::runtime_error("/proc/self/status has no " + key);
}
