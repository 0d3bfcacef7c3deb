// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace docent::test {

/// ThreadSanitizer sees opendir(). It does not see how std::filesystem opens a folder, and takes the descriptor for an old one.
inline std::ptrdiff_t open_descriptors() {
    DIR* folder = ::opendir("/proc/self/fd");
    std::ptrdiff_t count = -2; // "." and ".."
    while (::readdir(folder) != nullptr) ++count;
    ::closedir(folder);
    return count;
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
