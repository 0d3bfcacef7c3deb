// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/hold/signals.hpp"
#include "posix/event_fd.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <stop_token>
#include <thread>

namespace docent::cli {

/// Enough descriptors for a ZooKeeper in Java, and for the demo with all its clients.
inline constexpr std::size_t descriptors_of_a_server = 64;

/// What happens after a stop request while standard output is blocked: after Ctrl-S, or when nobody reads the terminal or the
/// pipe. The work then waits inside a write and cannot see the request.
enum class BlockedOutput {
    waits,        // the process waits
    ends_process, // after a second, the process exits with 128 + the signal's number
};

/// Turns signals into a stop request, for work that ends by itself. Make it before other threads.
class StopOnSignal {
public:
    /// `suspend` is called on SIGTSTP, in place of its default action, on a separate thread.
    explicit StopOnSignal(std::initializer_list<int> numbers, BlockedOutput blocked_output = BlockedOutput::waits,
                          std::function<void()> suspend = {});
    ~StopOnSignal();

    std::stop_token token() const { return stop_.get_token(); }
    /// The signal that has arrived; 0 if none has.
    int received() const { return received_; }

private:
    void listen();

    Signals signals_;
    BlockedOutput blocked_output_;
    std::stop_source stop_;
    std::atomic<int> received_{0};
    std::function<void()> suspend_;
    posix::EventFd end_;
    std::thread listener_;
};

} // namespace docent::cli
