// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"
#include "posix/event_fd.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <stop_token>
#include <thread>
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

/// Whether the signal ends docent while no CMD runs: SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGALRM or SIGABRT. The last three may
/// mean something else to a CMD. Other signals do nothing while no CMD runs.
bool ends_a_wait(int number);

/// The signal to pass on to CMD, for a signal that process `self` has received. `code` and `sender` are those of siginfo_t.
/// Returns nothing if the signal concerns docent itself, for example a write to a closed pipe, or the CPU limit.
std::optional<ReceivedSignal> received_signal(int number, int code, pid_t sender, pid_t self);

/// Reads signals from a descriptor, so that they do not interrupt. Make it before the first thread, which inherits the mask.
/// Signals that were ignored when docent was started (by nohup, or in a shell's background job) stay ignored.
class Signals {
public:
    explicit Signals(const std::vector<int>& numbers);
    Signals(std::initializer_list<int> numbers) : Signals(std::vector<int>(numbers)) {}
    /// Restores the thread's signal mask. Drops signals that have arrived, except SIGTSTP and signals that end a wait.
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    int fd() const noexcept { return descriptor_.get(); }
    /// The next signal that has arrived. Never waits.
    std::optional<ReceivedSignal> next();
    /// While no CMD runs: the next signal that ends the wait. Never waits. Drops other signals, except that SIGTSTP stops
    /// docent.
    std::optional<int> next_to_end();
    /// Stops this process until SIGCONT, as SIGTSTP does by default. In an orphaned process group, where no shell could
    /// continue it, does nothing.
    static void stop();

private:
    sigset_t wanted_{};
    sigset_t mask_before_{};
    posix::UniqueFd descriptor_;
};

/// Keeps a signal that ends a wait, and arrives while no Signals object exists, for the next Signals object. Otherwise the
/// signal would end the process. In the first process of a container, the kernel would drop it. Have only one SignalsBetween at
/// a time.
class SignalsBetween {
public:
    SignalsBetween();
    ~SignalsBetween();
    SignalsBetween(const SignalsBetween&) = delete;
    SignalsBetween& operator=(const SignalsBetween&) = delete;

private:
    std::vector<int> kept_; // whose action was the default
};

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

/// A pause that only a stop request ends early.
void pause_for(std::chrono::milliseconds length, const std::stop_token& stop);

} // namespace docent::cli
