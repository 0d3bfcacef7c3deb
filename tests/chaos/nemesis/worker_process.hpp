// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/unique_fd.hpp"
#include "worker/worker.hpp"

#include <string>
#include <vector>

#include <sys/types.h>

namespace docent::chaos {

/// A worker as a child process, which dies with the thread that started it.
class WorkerProcess {
public:
    /// `command`: what is a worker once the task follows. Throws std::system_error.
    WorkerProcess(const WorkerTask& task, std::vector<std::string> command);
    /// SIGKILL if it still runs.
    ~WorkerProcess();
    WorkerProcess(const WorkerProcess&) = delete;
    WorkerProcess& operator=(const WorkerProcess&) = delete;

    const std::string& name() const { return name_; }
    void send(int signal) const;
    /// One line for its standard input.
    void say(const std::string& word) const;
    /// Lets it end.
    void end_input() { input_.reset(); }
    /// The same, and waits; false if it had to be killed, or ended badly.
    bool end(std::chrono::milliseconds longest);
    /// Whether it ended though nobody asked it to: how, in words; else empty.
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
