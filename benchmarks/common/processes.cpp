// SPDX-License-Identifier: Apache-2.0
#include "common/processes.hpp"

#include <cerrno>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <system_error>
#include <vector>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[noreturn]] void run_child(int index, const std::function<void(int)>& work) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
        work(index);
    } catch (const std::exception& e) {
        std::cerr << "lock_workload: process " << index << ": " << e.what() << '\n';
        ::_exit(1);
    }
    ::_exit(0);
}

bool ended_well(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) return false;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

void in_processes(int count, const std::function<void(int)>& work) {
    std::vector<pid_t> children;
    for (int i = 0; i < count; ++i) {
        const pid_t pid = ::fork();
        if (pid == 0) run_child(i, work);
        if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
        children.push_back(pid);
    }
    bool good = true;
    for (const pid_t pid : children) good = ended_well(pid) && good;
    if (!good) throw std::runtime_error("a process has failed");
}

long process_status(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(key + ":", 0) == 0) return std::stol(line.substr(key.size() + 1));
    }
    throw std::runtime_error("/proc/self/status has no " + key);
}
