// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"

#include <initializer_list>
#include <optional>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace docent::cli {

struct ReceivedSignal {
    int number = 0;
    bool from_terminal = false; // every process of the foreground job has got it
    friend bool operator==(const ReceivedSignal&, const ReceivedSignal&) = default;
};

/// All that can be caught and may be meant for the command: not SIGCHLD and what else the kernel says to docent alone, not
/// SIGTTIN and SIGTTOU, not those that a fault raises.
std::vector<int> signals_for_commands();

/// Whether it asks a process to end, whatever runs there: SIGTERM, SIGINT, SIGQUIT.
bool asks_to_end(int number);

/// Whether it ends docent while no command runs: one of these, SIGHUP, SIGALRM or SIGABRT. To a command the last three may mean
/// something else. All others mean nothing then.
bool ends_a_wait(int number);

/// What a signal that has come to process `self` is to the command. `code` and `sender` as in siginfo_t. Nothing if the kernel
/// means docent itself: its write to a closed pipe, say, or its own use of the processor.
std::optional<ReceivedSignal> received_signal(int number, int code, pid_t sender, pid_t self);

/// Signals that are read from a descriptor instead of interrupting. Must be made before the first thread, which inherits the
/// mask. Those that were ignored when the program was started (by nohup, or for a shell's background job) stay ignored.
class Signals {
public:
    explicit Signals(const std::vector<int>& numbers);
    Signals(std::initializer_list<int> numbers) : Signals(std::vector<int>(numbers)) {}
    /// From now on they do again what they did before. Those that have arrived and do not end a wait are dropped.
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    int fd() const noexcept { return descriptor_.get(); }
    /// The next one that has arrived; never waits.
    std::optional<ReceivedSignal> next();
    /// While no command runs: the next one that ends the wait; never waits. Drops the others, but stops for SIGTSTP.
    std::optional<int> next_to_end();
    /// Stops this process until SIGCONT, as SIGTSTP does by itself.
    static void stop();

private:
    sigset_t wanted_{};
    sigset_t mask_before_{};
    posix::UniqueFd descriptor_;
};

} // namespace docent::cli
