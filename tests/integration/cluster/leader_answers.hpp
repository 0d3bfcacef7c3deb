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
struct LeaderAnswers {
    std::atomic<std::int64_t> last_yes = 0;
    std::atomic<std::int64_t> last_no = 0;
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free); // processes share it

inline std::int64_t steady_now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// LeaderAnswers in a file that two processes share.
class SharedLeaderAnswers {
public:
    explicit SharedLeaderAnswers(const std::string& file) {
        const posix::UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
        void* memory = MAP_FAILED;
        if (fd && ::ftruncate(fd.get(), sizeof(LeaderAnswers)) == 0) {
            memory = ::mmap(nullptr, sizeof(LeaderAnswers), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
        }
        if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), file);
        answers_ = std::launder(static_cast<LeaderAnswers*>(memory)); // a new file is all zero, as new LeaderAnswers are
    }
    ~SharedLeaderAnswers() { ::munmap(answers_, sizeof(LeaderAnswers)); }
    SharedLeaderAnswers(const SharedLeaderAnswers&) = delete;
    SharedLeaderAnswers& operator=(const SharedLeaderAnswers&) = delete;

    LeaderAnswers* operator->() const { return answers_; }

private:
    LeaderAnswers* answers_ = nullptr;
};

} // namespace docent::test
