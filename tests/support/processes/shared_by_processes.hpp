// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <memory>
#include <new>

namespace docent::test {

template <typename T> struct Unmap {
    void operator()(T* object) const { ::munmap(object, sizeof(T)); }
};

/// Shared by all processes that are forked later. Its destructor is never called.
template <typename T> using SharedByProcesses = std::unique_ptr<T, Unmap<T>>;

template <typename T> SharedByProcesses<T> make_shared_by_processes() {
    void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return SharedByProcesses<T>(new (memory) T{});
}

} // namespace docent::test
