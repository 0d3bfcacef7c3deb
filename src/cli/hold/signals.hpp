// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <initializer_list>
#include <optional>

#include <signal.h>

namespace docent::cli {

struct ReceivedSignal {
    int number = 0;
    bool from_terminal = false; // typed there: every process of the foreground job has got it
    friend bool operator==(const ReceivedSignal&, const ReceivedSignal&) = default;
};

/// Signals that are read from a descriptor instead of interrupting. Must be made before the first thread, which inherits the
/// mask. Those that were ignored when the program was started (by nohup, or for a shell's background job) stay ignored.
class Signals {
public:
    explicit Signals(std::initializer_list<int> numbers);
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    int fd() const noexcept { return descriptor_.get(); }
    /// The next one that has arrived; never waits.
    std::optional<ReceivedSignal> next();

private:
    sigset_t mask_before_{};
    posix::UniqueFd descriptor_;
};

} // namespace docent::cli
