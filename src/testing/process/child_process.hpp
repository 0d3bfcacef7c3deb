// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

/// What a child process is started with. It inherits the environment, and no descriptor but these three.
struct ChildCommand {
    std::vector<std::string> arguments; ///< The first is the program's full path.
    int standard_input = -1;            ///< -1: /dev/null
    int standard_output = -1;           ///< Standard error goes there too. -1: /dev/null
    /// The child writes its process id and a newline there before anything else; -1: nowhere.
    int announce_to = -1;
};

/// A child process in a session of its own, so that a terminal's signals reach only us. Host programs may handle SIGCHLD as
/// they like: only the child's own status is waited for. The owner must end it: the destructor does nothing.
class ChildProcess {
public:
    ChildProcess() = default;
    /// Throws std::runtime_error when the program cannot be executed.
    explicit ChildProcess(const ChildCommand& command);

    /// 0 when it has ended.
    pid_t pid() const noexcept { return pid_; }
    /// Looks whether it has ended, without waiting.
    bool poll_running() noexcept;
    bool wait_ended(std::chrono::milliseconds timeout) noexcept;
    void send(int signal) const noexcept;
    /// SIGSTOP, and waits until it has taken effect.
    void pause(std::chrono::milliseconds timeout) noexcept;
    /// How it ended, in words.
    std::string end_description() const;

private:
    bool collect(int options) noexcept;

    pid_t pid_ = 0;
    bool stopped_ = false;
    std::optional<int> wait_status_; // empty: running, or somebody else took the status
};

} // namespace docent::testing
