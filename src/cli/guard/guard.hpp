// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/guard/command_cgroup.hpp"
#include "cli/guard/guard_process.hpp"
#include "cli/guard/process_folder.hpp"
#include "cli/guard/searcher.hpp"
#include "posix/descriptors.hpp"

#include <signal.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

/// A small process between docent and the program, so that the program never runs without the lock. If docent is killed, the
/// guard kills the program and its descendants. If docent is stopped, the guard ends them at the validity bound. The guard is
/// the program's parent and adopts its orphans. The program runs in a cgroup of its own if docent may make one
/// (command_cgroup.hpp).
///
/// If the guard is killed, the kernel kills the program, and docent kills its descendants. If the guard is stopped, docent
/// wakes it, or the kernel does when docent ends. Only if docent and the guard are both stopped, or are killed at the same
/// moment, descendants can go on.
class Guard {
public:
    /// Make it before other threads are started: it starts one. The program waits for start(). It has docent's session, process
    /// group, standard streams, directory, descriptors and signal mask. `end_signal` asks it to end. Throws std::system_error,
    /// or std::runtime_error if /proc does not show docent's processes.
    explicit Guard(const std::vector<std::string>& words, int end_signal = SIGTERM);
    /// Ends the guard. The guard kills the program and its descendants, unless stand_down() was called. Waits until the guard
    /// has ended, for ten seconds at most: any process can hold up its search for processes.
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

    /// Starts the program with these additional variables (`NAME=value`). The first variable marks its processes. When `bound`
    /// passes, the guard asks the program to end, and kills it after `grace`. Returns 0, errno if exec failed, or `too_late`.
    int start(BootClock::time_point bound, BootClock::duration grace, const std::vector<std::string>& more_environment);

    /// Continues a guard that was stopped. extend(), ask_to_end() and stand_down() do this, too.
    void wake() noexcept;
    /// Moves the bound until which the lock is certainly held.
    void extend(BootClock::time_point bound);
    /// Asks the program and its descendants to end: sends the end signal, and SIGCONT in case they are stopped. The guard kills
    /// them at `kill_at` if docent does not.
    void ask_to_end(BootClock::time_point kill_at);
    /// Lets the program's descendants go on without the lock, unless leave_search() was called.
    void stand_down();

    /// Readable when poll_ended(), bound_passed() or lost() may have changed.
    int fd() const noexcept { return orders_.get(); }
    /// The program's wait status when it has ended; never waits.
    std::optional<int> poll_ended();
    /// Whether the guard has asked the program to end because the bound has passed. Known after poll_ended().
    bool bound_passed() const noexcept { return bound_passed_; }
    /// Whether the guard itself has ended before its time.
    bool lost() const noexcept { return lost_; }

    /// Signals the program.
    void send(int signal);
    /// Kills the program and its descendants. Searches that begin later kill each process that they find.
    void kill_all();
    /// Whether the program, or another process that runs under its lock, is left. Searches for such processes only when the
    /// program, its descendants and the cgroup are gone, and waits a moment for the result. `unknown`: they are gone, but the
    /// search has not ended.
    Left look();
    /// docent waits for the search no longer. The guard goes on with the search, after docent's end too, and kills each process
    /// that it finds. Returns the process to which docent's search has come.
    pid_t leave_search();

private:
    void give(const GuardOrder& order, std::string_view more = {}) noexcept;
    GuardReport read_report(int flags) noexcept;

    void send_program(int signal) const;
    bool program_is_gone() const;

    const int end_signal_;
    const std::shared_ptr<const ProcessFolder> processes_ = std::make_shared<ProcessFolder>();
    const std::shared_ptr<CommandCgroup> cgroup_; // may be null
    const bool adopts_;                           // docent adopts orphans of a guard that was killed
    posix::UniqueFd orders_;
    posix::UniqueFd start_channel_;
    pid_t guard_ = 0;
    pid_t program_ = 0;
    std::optional<ProcessHandle> program_handle_;
    std::shared_ptr<const HeldProcesses> held_; // set by start()
    std::optional<Searcher> searcher_;
    std::optional<int> wait_status_;
    bool bound_passed_ = false;
    bool lost_ = false;
    bool kills_ = false;
    bool search_left_ = false;
};

} // namespace docent::cli
