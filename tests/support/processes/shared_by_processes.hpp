// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

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

/// Calls `work(n)` in `count` child processes, and waits for all. Returns for each whether it ended well. They end with the
/// thread that calls this.
inline std::vector<bool> run_in_processes(std::size_t count, const std::function<void(std::size_t)>& work) {
    std::vector<pid_t> children;
    for (std::size_t n = 0; n < count; ++n) {
        const pid_t child = ::fork();
        if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
        if (child == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            work(n);
            ::_exit(0);
        }
        children.push_back(child);
    }
    std::vector<bool> ended_well;
    for (const pid_t child : children) {
        int status = 0;
        ended_well.push_back(::waitpid(child, &status, 0) == child && status == 0);
    }
    return ended_well;
}

} // namespace docent::test
