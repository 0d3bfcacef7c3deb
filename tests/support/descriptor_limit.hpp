// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "names_in.hpp"

#include <cstddef>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

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

} // namespace docent::test
