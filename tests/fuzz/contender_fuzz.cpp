// SPDX-License-Identifier: Apache-2.0
#include "queue/admission.hpp"
#include "queue/contender.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

/// Whatever stands below a lock: exactly one writer is admitted if there is a writer that no reader stands before.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace docent::detail;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    std::vector<std::string> children;
    for (std::string line; std::getline(lines, line);) children.push_back(line);
    const auto queue = sorted_queue(mutex_names(), children);
    int admitted = 0;
    for (const auto& contender : queue) {
        if (std::holds_alternative<Admitted>(admit(queue, contender.name, Deletion::admits))) ++admitted;
    }
    if (!queue.empty() && admitted == 0) std::abort();
    const bool distinct = std::adjacent_find(queue.begin(), queue.end(),
                                             [](const auto& a, const auto& b) { return a.name == b.name; }) == queue.end();
    if (distinct && admitted > 1) std::abort();
    return 0;
}
