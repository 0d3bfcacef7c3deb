// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/types.h>

namespace docent::cli {

/// A program that runs as our child with our standard streams, and that the kernel kills when we die, however that happens.
class Program {
public:
    /// Starts `words` (searched for in $PATH as a shell does) with the variables `more_environment` (`NAME=value`) added to
    /// ours and with signal mask `mask`. To be called on the main thread: the kernel kills the program when the *thread* that
    /// started it ends. `start_error()` tells whether it could be executed.
    Program(const std::vector<std::string>& words, const std::vector<std::string>& more_environment, const sigset_t& mask);
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// errno of the attempt to execute it; 0 if it runs.
    int start_error() const noexcept { return start_error_; }

    /// Its wait status when it has ended; never waits.
    std::optional<int> poll_ended();

    void send(int signal) const noexcept;
    pid_t pid() const noexcept { return pid_; }

private:
    pid_t pid_ = 0;
    int start_error_ = 0;
    std::optional<int> wait_status_;
};

} // namespace docent::cli
