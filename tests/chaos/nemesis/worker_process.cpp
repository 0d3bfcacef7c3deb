// SPDX-License-Identifier: Apache-2.0
#include "nemesis/worker_process.hpp"

#include "history/journal.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::chaos {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

/// CLOCK_MONOTONIC, the clock of Java.
std::int64_t steady_now() {
    return std::chrono::nanoseconds(steady_clock::now().time_since_epoch()).count();
}

} // namespace

WorkerProcess::WorkerProcess(const WorkerTask& task, std::vector<std::string> command) : name_(task.name) {
    command.insert(command.end(), {task.name, task.folder.string(), task.connect, std::to_string(task.seed),
                                   std::to_string(task.session_timeout.count()), std::to_string(now() - steady_now())});
    const posix::ProgramImage image(command);
    posix::Channel channel = posix::make_channel();
    const std::string errors = (task.folder / (task.name + ".errors")).string();
    const posix::UniqueFd log(::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!log) throw posix::last_error(errors.c_str());
    const pid_t parent = ::getpid();
    pid_ = posix::fork_child([&](const sigset_t& mask) {
        posix::die_with(parent);
        if (::dup2(channel.theirs.get(), STDIN_FILENO) < 0 || ::dup2(log.get(), STDOUT_FILENO) < 0 ||
            ::dup2(log.get(), STDERR_FILENO) < 0) {
            return;
        }
        if (::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
            image.execute(mask); // Asio's descriptors are not close-on-exec
    });
    input_ = std::move(channel.ours);
}

WorkerProcess::~WorkerProcess() {
    if (collect()) return;
    send(SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

bool WorkerProcess::collect() {
    if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
}

void WorkerProcess::send(int signal) const {
    if (!ended_) ::kill(pid_, signal);
}

void WorkerProcess::say(const std::string& word) const {
    const std::string line = word + '\n';
    ::send(input_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool WorkerProcess::end(std::chrono::milliseconds longest) {
    input_.reset();
    const auto deadline = steady_clock::now() + longest;
    while (!collect()) {
        if (steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(10ms);
    }
    return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

std::string WorkerProcess::crashed() {
    if (!collect()) return {};
    if (WIFSIGNALED(status_)) return std::string("ended by ") + ::strsignal(WTERMSIG(status_));
    return "exited with " + std::to_string(WEXITSTATUS(status_));
}

} // namespace docent::chaos
