// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Boost.Process cannot say: who dies with whom, what a child says before it executes, why it could not.

#include "posix/channel.hpp"
#include "posix/signals_blocked.hpp"

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/types.h>
#include <unistd.h>

namespace docent::posix {

/// Runs `body` in a child, which ends when it returns. The child starts with all signals blocked, so that no handler of this
/// program runs there; `body` is given the mask from before. In a program with other threads it may only do what is
/// async-signal-safe. Throws std::system_error.
template <typename Body> pid_t fork_child(const Body& body) {
    const SignalsBlocked blocked;
    const pid_t pid = ::fork();
    if (pid < 0) throw last_error("fork");
    if (pid > 0) return pid;
    try {
        body(blocked.before());
    } catch (...) { // nothing of the parent's may run here
    }
    ::_exit(EXIT_FAILURE);
}

/// A program with its arguments and its environment, prepared so that executing it allocates nothing.
class ProgramImage {
public:
    /// The first word is the program, searched for in $PATH as a shell does. `changes` are to our environment: `NAME=value` is
    /// added, or replaces what is there by that name; `NAME` is taken away.
    explicit ProgramImage(std::vector<std::string> words, const std::vector<std::string>& changes = {});
    ProgramImage(const ProgramImage&) = delete;
    ProgramImage& operator=(const ProgramImage&) = delete;

    /// Becomes it, with this signal mask. Returns only if that fails: errno.
    int execute(const sigset_t& mask) const noexcept;

private:
    std::vector<std::string> words_;
    std::vector<std::string> environment_;
    std::vector<char*> word_pointers_;
    std::vector<char*> environment_pointers_;
};

/// Asks the kernel to kill this process when its parent ends, or rather the *thread* that started it. If the parent has ended
/// already, kills this process at once.
void die_with(pid_t parent) noexcept;

/// A child's word on a descriptor that an exec closes: why that failed. Nothing at all means that it succeeded.
void report_error(int to, int error) noexcept;
/// Waits for it; 0 if there was none.
int read_reported_error(int from) noexcept;

/// How a child begins that is to have nothing to do with us.
struct DetachedStart {
    int input = -1;       ///< -1: /dev/null
    int output = -1;      ///< -1: /dev/null
    int errors = -1;      ///< -1: where the output goes
    int announce_to = -1; ///< A socket that gets its process id and a newline before anything else; -1: none.
};

struct Spawned {
    pid_t pid = 0;
    int error = 0; ///< Why it could not be executed; it has to be waited for nevertheless.
};

/// Starts it in a session of its own, with no descriptor of ours but these and with all signals as usual. To be called from
/// any thread. Throws std::system_error when there is no child at all.
Spawned spawn_detached(const ProgramImage& image, const DetachedStart& start);

} // namespace docent::posix
