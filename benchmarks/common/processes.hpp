// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <new>

/// Runs `work(i)` in `count` child processes, and waits for all. Call it before there is any other thread. Errors: throws if
/// one of them fails. They end when this process ends.
void in_processes(int count, const std::function<void(int)>& work);

/// Memory that is shared with all processes that are forked while it exists. It is zero at first.
void* map_shared_memory(std::size_t size);
void unmap_shared_memory(void* memory, std::size_t size) noexcept;

/// A T that is shared with all processes that are forked while it exists.
template <typename T> class SharedByProcesses {
public:
    SharedByProcesses() : value_(new (map_shared_memory(sizeof(T))) T) {}
    ~SharedByProcesses() {
        value_->~T();
        unmap_shared_memory(value_, sizeof(T));
    }
    SharedByProcesses(const SharedByProcesses&) = delete;
    SharedByProcesses& operator=(const SharedByProcesses&) = delete;
    T& operator*() const { return *value_; }
    T* operator->() const { return value_; }

private:
    T* value_;
};
