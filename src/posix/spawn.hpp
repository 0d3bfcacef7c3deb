// SPDX-License-Identifier: Apache-2.0
#pragma once

// Starts child processes. Boost.Process cannot bind a child's life to its parent, let the child report its process id before
// it executes, or report why exec failed.

#include "posix/descriptors.hpp"
#include "posix/threads.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

namespace docent::posix {

/// Runs `body` in a child, which ends when `body` returns. The child starts with all signals blocked, so that no handler of
/// this program runs there. `body` gets the earlier mask. In a program with other threads, `body` may only call functions that
/// are async-signal-safe. Throws std::system_error.
template <typename Body> pid_t fork_child(const Body& body) {
    const SignalsBlocked blocked;
    const pid_t pid = ::fork();
    if (pid < 0) throw last_error("fork");
    if (pid > 0) return pid;
    try {
        body(blocked.before());
    } catch (...) { // no destructor or handler of the parent may run here
    }
    ::_exit(EXIT_FAILURE);
}

/// A program with its arguments and its environment, prepared so that executing it allocates nothing.
class ProgramImage {
public:
    /// The first word is the program, searched for in $PATH as a shell does. `changes` change the environment: `NAME=value`
    /// sets a variable, `NAME` removes one.
    explicit ProgramImage(std::vector<std::string> words, const std::vector<std::string>& changes = {});
    ProgramImage(const ProgramImage&) = delete;
    ProgramImage& operator=(const ProgramImage&) = delete;

    /// Executes the program with this signal mask. For a child: signals have no handlers from then on. Returns errno if that
    /// fails.
    int execute(const sigset_t& mask) const noexcept;

private:
    std::vector<std::string> words_;
    std::vector<std::string> environment_;
    std::vector<char*> word_pointers_;
    std::vector<char*> environment_pointers_;
};

/// Asks the kernel to kill this process when the *thread* that started it ends. Kills this process at once if the parent has
/// ended already.
void die_with(pid_t parent) noexcept;

/// Writes an error of exec to a descriptor that exec closes. If exec succeeds, the reader sees the end without an error.
void report_error(int to, int error) noexcept;
/// Waits for the error that report_error() has written; 0 if exec succeeded.
int read_reported_error(int from) noexcept;

/// The descriptors of a detached child.
struct DetachedStart {
    int input = -1;       ///< -1: /dev/null
    int output = -1;      ///< -1: /dev/null
    int errors = -1;      ///< -1: the same as the output
    int announce_to = -1; ///< A socket that gets its process id and a newline before anything else; -1: none.
};

struct Spawned {
    pid_t pid = 0;
    int error = 0; ///< Why exec failed; 0 if it succeeded. The caller must wait for the process in both cases.
};

/// Starts the program in a new session, with these descriptors only and with default signal handlers. May be called from any
/// thread. Throws std::system_error if no child could be made.
Spawned spawn_detached(const ProgramImage& image, const DetachedStart& start);

} // namespace docent::posix
