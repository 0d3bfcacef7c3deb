// SPDX-License-Identifier: Apache-2.0

#include "testing/process/child_process.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace docent::testing {

using namespace std::chrono_literals;

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const posix::DetachedStart& start) {
    const posix::Spawned spawned = posix::spawn_detached(posix::ProgramImage(arguments), start);
    pid_ = spawned.pid;
    if (spawned.error == 0) return;
    wait_ended(10s);
    throw std::runtime_error("cannot execute " + arguments.front() + ": " + std::generic_category().message(spawned.error));
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

namespace {

constexpr auto longest_removal = 10s; // of the folder, on a slow disk

// The script waits until `kill -0` fails, because the killed server may write files until then. It waits 0.5 s at most, because
// in a container possibly no process collects the killed server.
constexpr auto script = R"(trap '' HUP INT TERM
PATH=/usr/bin:/bin:$PATH
cd /
server=0
while read -r pid; do server=$pid; done
if [ "$server" -gt 0 ]; then
    kill -9 "$server"
    for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$server" || break; sleep 0.05; done
fi
rm -rf -- "$1"
)";

} // namespace

Watchdog::Watchdog(const std::filesystem::path& folder) try : folder_(folder) {
    posix::Channel channel = posix::make_channel();
    ours_ = std::move(channel.ours);
    process_ = ChildProcess({"/bin/sh", "-c", script, "docent-watchdog", folder_.string()}, {.input = channel.theirs.get()});
} catch (...) {
    std::error_code ignored;
    std::filesystem::remove(folder, ignored); // the folder is empty
    throw;
}

Watchdog::~Watchdog() {
    ours_.reset();
    if (!process_.wait_ended(longest_removal)) {
        process_.send(SIGKILL);
        process_.wait_ended(longest_removal); // the kernel lets it end when the disk has answered
    }
    std::error_code ignored; // normally the folder is gone
    std::filesystem::remove_all(folder_, ignored);
}

void Watchdog::forget_process() noexcept {
    static_cast<void>(::send(ours_.get(), "0\n", 2, MSG_NOSIGNAL)); // a socket: no SIGPIPE for the host program
}

} // namespace docent::testing
