// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <new>

/// Runs `work(i)` in `count` processes of its own and waits for all. Call it before there is any other thread.
/// Errors: throws when one of them fails; they end when this process does.
void in_processes(int count, const std::function<void(int)>& work);

/// Memory for all processes that are made while it is there; returns zeros.
void* map_shared_memory(std::size_t size);
void unmap_shared_memory(void* memory, std::size_t size) noexcept;

/// A T that all processes share which are made while it is there.
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
