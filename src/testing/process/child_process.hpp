// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

/// The start of a child process. It inherits the environment and these descriptors only.
struct ChildCommand {
    std::vector<std::string> arguments; ///< The first is the program's full path.
    int standard_input = -1;            ///< -1: /dev/null
    int standard_output = -1;           ///< Also for standard error. -1: /dev/null
    /// The child first writes its process id and a newline to this descriptor; -1: none.
    int announce_to = -1;
};

/// A child process in a new session, so that a terminal's signals do not reach it. It waits for this child only, so a host
/// program may handle SIGCHLD as it likes. The owner must end the child: the destructor does nothing.
class ChildProcess {
public:
    ChildProcess() = default;
    /// Throws std::runtime_error if the program cannot be executed.
    explicit ChildProcess(const ChildCommand& command);

    /// The process id; 0 if the child has ended.
    pid_t pid() const noexcept { return pid_; }
    /// Returns whether the child runs. Does not wait.
    bool poll_running() noexcept;
    bool wait_ended(std::chrono::milliseconds timeout) noexcept;
    void send(int signal) const noexcept;
    /// Sends SIGSTOP and waits until the child has stopped.
    void pause(std::chrono::milliseconds timeout) noexcept;
    /// A text that says how the child ended.
    std::string end_description() const;

private:
    bool collect(int options) noexcept;

    pid_t pid_ = 0;
    bool stopped_ = false;
    std::optional<int> wait_status_; // empty: the child runs, or the host program has taken its status
};

} // namespace docent::testing
