// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "names_in.hpp"

#include <cstddef>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>

namespace docent::test {

inline std::ptrdiff_t open_descriptors() {
    return std::ssize(names_in("/proc/self/fd"));
}

/// Lowers RLIMIT_NOFILE while it lives: new descriptors have smaller numbers, and poll() takes at most this many.
class LoweredDescriptorLimit {
public:
    explicit LoweredDescriptorLimit(rlim_t most) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        const rlimit lowered{most, before_.rlim_max};
        ::setrlimit(RLIMIT_NOFILE, &lowered);
    }
    ~LoweredDescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    LoweredDescriptorLimit(const LoweredDescriptorLimit&) = delete;
    LoweredDescriptorLimit& operator=(const LoweredDescriptorLimit&) = delete;

private:
    rlimit before_{};
};

/// While it lives, this process gets only `more` new descriptors.
class DescriptorLimit : public LoweredDescriptorLimit {
public:
    explicit DescriptorLimit(rlim_t more = 0) : LoweredDescriptorLimit(limit_for(more)) {}

private:
    /// Returns the number of the first descriptor that must be refused: `more` smaller numbers are free.
    static rlim_t limit_for(rlim_t more) {
        for (rlim_t number = 0;; ++number) {
            const bool free = ::fcntl(static_cast<int>(number), F_GETFD) < 0;
            if (free && more-- == 0) return number;
        }
    }
};

/// While it lives, no thread can be started: its stack would be larger than the address space of any processor.
class NoThreads {
public:
    NoThreads() {
        ::pthread_getattr_default_np(&before_);
        pthread_attr_t huge;
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 60U);
        ::pthread_setattr_default_np(&huge);
        ::pthread_attr_destroy(&huge);
    }
    ~NoThreads() {
        ::pthread_setattr_default_np(&before_);
        ::pthread_attr_destroy(&before_);
    }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

private:
    pthread_attr_t before_{};
};

} // namespace docent::test
