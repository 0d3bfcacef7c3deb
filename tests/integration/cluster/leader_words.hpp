// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/descriptors.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <new>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>

namespace docent::test {

/// The answers of a leader: the times of the questions, in nanoseconds of steady_clock.
struct LeaderWords {
    std::atomic<std::int64_t> last_yes = 0;
    std::atomic<std::int64_t> last_no = 0;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free); // processes share it

inline std::int64_t steady_now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// LeaderWords in a file that two processes share.
class SharedLeaderWords {
public:
    explicit SharedLeaderWords(const std::string& file) {
        const posix::UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        void* memory = MAP_FAILED;
        if (fd && ::ftruncate(fd.get(), sizeof(LeaderWords)) == 0) {
            memory = ::mmap(nullptr, sizeof(LeaderWords), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
        }
        if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), file);
        words_ = std::launder(static_cast<LeaderWords*>(memory)); // a new file is all zero, as new LeaderWords are
    }
    ~SharedLeaderWords() { ::munmap(words_, sizeof(LeaderWords)); }
    SharedLeaderWords(const SharedLeaderWords&) = delete;
    SharedLeaderWords& operator=(const SharedLeaderWords&) = delete;

    LeaderWords* operator->() const { return words_; }

private:
    LeaderWords* words_ = nullptr;
};

} // namespace docent::test
