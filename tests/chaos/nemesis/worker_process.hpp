// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"
#include "worker/worker.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace docent::chaos {

/// A worker as a child process. It dies with the thread that started it.
class WorkerProcess {
public:
    /// `command`: the program, to which the task is appended. Throws std::system_error.
    WorkerProcess(const WorkerTask& task, std::vector<std::string> command);
    /// Kills the process if it still runs.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    const std::string& name() const { return name_; }
    void send(int signal) const;
    /// Writes one line to the worker's standard input.
    void say(const std::string& word) const;
    /// Closes the worker's standard input, so that it ends.
    void end_input() { input_.reset(); }
    /// Closes the input and waits. Returns false if the worker does not end in time, or fails.
    bool end(std::chrono::milliseconds longest);
    /// Says how the worker ended by itself. Empty: it did not.
    std::string crashed();

private:
    bool collect();

    std::string name_;
    pid_t pid_ = 0;
    posix::UniqueFd input_;
    bool ended_ = false;
    int status_ = 0;
};

} // namespace docent::chaos
