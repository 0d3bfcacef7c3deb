// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/waiting/wait_limits.hpp"

#include <algorithm>
#include <variant>

namespace docent::cli {

using namespace std::chrono_literals;

namespace {

constexpr milliseconds shortest_to_connect = 1s;

} // namespace

milliseconds time_to_connect(const QueueTime& wait, milliseconds usual) {
    const auto* limit = std::get_if<AtMostInQueue>(&wait);
    return limit != nullptr ? std::max(limit->time, shortest_to_connect) : usual;
}

QueueTime left_in_queue(const QueueTime& wait, milliseconds passed) {
    const auto* limit = std::get_if<AtMostInQueue>(&wait);
    if (limit == nullptr) return wait;
    if (limit->time <= passed) return NoQueue{};
    return AtMostInQueue{limit->time - passed};
}

} // namespace docent::cli
