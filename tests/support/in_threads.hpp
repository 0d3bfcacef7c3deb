// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>
#include <vector>

namespace docent::test {

/// Calls `work(n)` on threads with the numbers from 0 on, and waits until all have ended.
template <typename Work> void in_threads(int count, const Work& work) {
    std::vector<std::jthread> threads;
    for (int n = 0; n < count; ++n) threads.emplace_back([&work, n] { work(n); });
}

} // namespace docent::test
