// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <initializer_list>
#include <optional>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace docent::cli {

struct ReceivedSignal {
    int number = 0;
    bool from_terminal = false; // every process of the foreground job gets the signal
    friend bool operator==(const ReceivedSignal&, const ReceivedSignal&) = default;
};

/// All signals that can be caught and may be meant for CMD. Not among them: SIGCHLD and other signals that the kernel sends to
/// docent only, SIGTTIN, SIGTTOU, and signals of faults.
std::vector<int> signals_for_commands();

/// Whether the signal asks every program to end: SIGTERM, SIGINT, SIGQUIT.
bool asks_to_end(int number);

/// Whether the signal ends docent while no CMD runs: one of these, SIGHUP, SIGALRM or SIGABRT. The last three may mean
/// something else to a CMD. Other signals do nothing while no CMD runs.
bool ends_a_wait(int number);

/// The signal to pass on to CMD, for a signal that process `self` has received. `code` and `sender` are those of siginfo_t.
/// Returns nothing if the signal concerns docent itself, for example its own write to a closed pipe, or its CPU limit.
std::optional<ReceivedSignal> received_signal(int number, int code, pid_t sender, pid_t self);

/// Reads signals from a descriptor, so that they do not interrupt. Make it before the first thread, which inherits the mask.
/// Signals that were ignored when docent was started (by nohup, or in a shell's background job) stay ignored.
class Signals {
public:
    explicit Signals(const std::vector<int>& numbers);
    Signals(std::initializer_list<int> numbers) : Signals(std::vector<int>(numbers)) {}
    /// Restores the signals' actions. Drops signals that have arrived and that do not end a wait.
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    int fd() const noexcept { return descriptor_.get(); }
    /// The next signal that has arrived. Never waits.
    std::optional<ReceivedSignal> next();
    /// While no CMD runs: the next signal that ends the wait. Never waits. Drops other signals, except that SIGTSTP stops
    /// docent.
    std::optional<int> next_to_end();
    /// Stops this process until SIGCONT, as SIGTSTP does by default.
    static void stop();

private:
    sigset_t wanted_{};
    sigset_t mask_before_{};
    posix::UniqueFd descriptor_;
};

} // namespace docent::cli
