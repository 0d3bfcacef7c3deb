// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace docent::cli {

/// Whether processes are left that run under a lock.
enum class Left {
    nothing,
    something, // a process was found, or the program had not ended when the search began
    unknown,   // an earlier call has begun the search, and it has not ended
};

/// Signals the processes that run under a lock, and finds out whether one is left. The search has a thread of its own, because
/// any process can hold it up for as long as it likes (HeldProcesses::send).
class Searcher {
public:
    /// Starts the thread. Throws std::system_error.
    Searcher();
    /// Does not wait for the end of a search. The thread then goes on, and keeps the processes' folder and the cgroup open.
    ~Searcher();
    Searcher(const Searcher&) = delete;
    Searcher& operator=(const Searcher&) = delete;

    /// Sends the signals to the descendants at once, and to other processes when a search finds them. Spares the program `but`,
    /// which has had them already. Call it before the first look().
    void send(const std::shared_ptr<const HeldProcesses>& held, std::vector<int> signals, pid_t but);

    /// Returns `nothing` if the last search began after the program's end and found nothing. Otherwise begins a search, unless
    /// one is under way, and waits for its result, for `longest` at most. The search sends `signal` to each process that it
    /// finds, except `but`. Without a result in time, returns `something` if this call began the search, and `unknown` if an
    /// earlier call did. After a search that began when the program had ended, pauses for as long as the search took, at most
    /// half a second. Returns `something` in the pause.
    Left look(const std::shared_ptr<const HeldProcesses>& held, int signal, pid_t but, bool program_ended,
              std::chrono::milliseconds longest);

private:
    using Search = std::function<bool()>; // returns whether something may be left

    struct State;
    static void run(State& state);
    static void begin(State& state, Search search, bool program_ended);

    const std::shared_ptr<State> state_; // shared with the thread
    std::thread thread_;
};

} // namespace docent::cli
