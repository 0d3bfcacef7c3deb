// SPDX-License-Identifier: Apache-2.0
#include "testing/process/child_process.hpp"

#include "posix/spawn.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace docent::testing {

using namespace std::chrono_literals;

ChildProcess::ChildProcess(const ChildCommand& command) {
    const posix::Spawned spawned = posix::spawn_detached(
        posix::ProgramImage(command.arguments),
        {.input = command.standard_input, .output = command.standard_output, .announce_to = command.announce_to});
    pid_ = spawned.pid;
    if (spawned.error == 0) return;
    wait_ended(10s);
    throw std::runtime_error("cannot execute " + command.arguments.front() + ": " +
                             std::generic_category().message(spawned.error));
}

/// Returns true if the child has ended. ECHILD: the host program ignores SIGCHLD, or has waited for all its children.
bool ChildProcess::collect(int options) noexcept {
    if (pid_ == 0) return true;
    int status = 0;
    const pid_t result = ::waitpid(pid_, &status, WNOHANG | options);
    if (result == 0 || (result < 0 && errno == EINTR)) return false;
    if (result == pid_ && WIFSTOPPED(status)) {
        stopped_ = true;
        return false;
    }
    if (result == pid_) wait_status_ = status;
    pid_ = 0;
    return true;
}

bool ChildProcess::poll_running() noexcept {
    return !collect(0);
}

bool ChildProcess::wait_ended(std::chrono::milliseconds timeout) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!collect(0)) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

void ChildProcess::send(int signal) const noexcept {
    if (pid_ > 0) ::kill(pid_, signal);
}

void ChildProcess::pause(std::chrono::milliseconds timeout) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    stopped_ = false;
    send(SIGSTOP);
    while (!stopped_ && !collect(WUNTRACED) && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
}

std::string ChildProcess::end_description() const {
    if (pid_ > 0) return "still runs";
    if (!wait_status_) return "ended";
    if (WIFEXITED(*wait_status_)) return "ended with status " + std::to_string(WEXITSTATUS(*wait_status_));
    return "was ended by signal " + std::to_string(WTERMSIG(*wait_status_));
}

} // namespace docent::testing
