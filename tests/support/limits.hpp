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

/// While it lives, this process gets only `more` new descriptors.
class DescriptorLimit {
public:
    explicit DescriptorLimit(rlim_t more = 0) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit limit = before_;
        for (limit.rlim_cur = 0;; ++limit.rlim_cur) { // up to the first free number beyond the limit
            const bool free = ::fcntl(static_cast<int>(limit.rlim_cur), F_GETFD) < 0;
            if (free && more-- == 0) break;
        }
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
    DescriptorLimit(const DescriptorLimit&) = delete;
    DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
    rlimit before_{};
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
