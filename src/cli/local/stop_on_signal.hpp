// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/event_flag.hpp"
#include "cli/hold/signals.hpp"

#include <atomic>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <thread>

namespace docent::cli {

/// Turns signals into a stop request, for work that ends itself. Must be made before other threads.
class StopOnSignal {
public:
    explicit StopOnSignal(std::initializer_list<int> numbers) : StopOnSignal(numbers, nullptr) {}
    /// Instead of what SIGTSTP does by itself, `suspend` is called, on a thread of its own.
    StopOnSignal(std::initializer_list<int> numbers, std::function<void()> suspend);
    ~StopOnSignal();

    std::stop_token token() const { return stop_.get_token(); }
    /// The signal that has arrived; 0 if none has.
    int received() const { return received_; }

private:
    Signals signals_;
    std::stop_source stop_;
    std::atomic<int> received_{0};
    std::function<void()> suspend_;
    EventFlag end_;
    std::jthread listener_;
};

} // namespace docent::cli
