// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <sys/types.h>

namespace docent::resources {

/// A child of this process that runs nothing. It has copies of all descriptors, also sockets, as long as it lives.
class Copy {
public:
    Copy();
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

private:
    pid_t pid_;
};

/// Forks copies of this process all the time, on its own thread. Some copies always exist.
class Forks {
public:
    Forks() : thread_([this] { run(); }) {}
    ~Forks();
    Forks(const Forks&) = delete;
    Forks& operator=(const Forks&) = delete;

    int made() const { return made_; }

private:
    void run();

    std::mutex mutex_;
    std::condition_variable stopped_;
    bool stop_ = false;
    std::atomic<int> made_ = 0;
    std::thread thread_;
};

} // namespace docent::resources
