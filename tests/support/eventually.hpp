// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <thread>

namespace docent::test {

/// Waits until `condition()` is true, with a pause after each call. Returns false if this takes longer than a loaded machine
/// could need.
template <class Condition>
bool eventually(Condition condition, std::chrono::milliseconds longest = std::chrono::seconds(30),
                std::chrono::milliseconds pause = std::chrono::milliseconds(2)) {
    const auto deadline = std::chrono::steady_clock::now() + longest;
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
    }
    return true;
}

} // namespace docent::test
