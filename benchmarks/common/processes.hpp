// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <functional>
#include <new>
#include <string>
#include <system_error>

#include <sys/mman.h>

/// Runs `work(i)` in `count` child processes, and waits for all. Call it before there is any other thread. Errors: throws if
/// one of them fails. They end when this process ends.
void in_processes(int count, const std::function<void(int)>& work);

/// A T that is shared with all processes that are forked while it exists.
template <typename T> class SharedByProcesses {
public:
    SharedByProcesses() {
        void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
        value_ = new (memory) T;
    }
    ~SharedByProcesses() {
        value_->~T();
        ::munmap(value_, sizeof(T));
    }
    SharedByProcesses(const SharedByProcesses&) = delete;
    SharedByProcesses& operator=(const SharedByProcesses&) = delete;

    T& operator*() const { return *value_; }
    T* operator->() const { return value_; }

private:
    T* value_;
};

/// Returns a number from this process's /proc/self/status; memory is in KiB.
long process_status(const std::string& key);
