// SPDX-License-Identifier: Apache-2.0
#include "forks.hpp"

#include "posix/spawn.hpp"

#include <chrono>
#include <list>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::resources {

Copy::Copy() {
    const pid_t parent = ::getpid();
    pid_ = posix::fork_child([parent](const sigset_t&) {
        posix::die_with(parent);
        ::pause(); // all signals but SIGKILL are blocked
    });
}

Copy::~Copy() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

Forks::~Forks() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    stopped_.notify_one();
    thread_.join();
}

void Forks::run() {
    constexpr std::size_t alive = 3;
    constexpr std::chrono::milliseconds pause{1}; // lets other threads work
    std::list<Copy> copies;
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, pause, [this] { return stop_; })) {
        copies.emplace_back();
        ++made_;
        if (copies.size() > alive) copies.pop_front();
    }
}

} // namespace docent::resources
