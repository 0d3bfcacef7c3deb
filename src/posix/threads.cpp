// SPDX-License-Identifier: Apache-2.0
#include "posix/threads.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace docent::posix {

static_assert(sizeof(std::atomic<int>) == sizeof(int) && std::atomic<int>::is_always_lock_free); // what the kernel looks at

void Parker::park() noexcept {
    int state = awake;
    state_.compare_exchange_strong(state, asleep);
    while (state != woken) { // the kernel returns early at times
        ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, asleep, nullptr, nullptr, 0);
        state = state_.load();
    }
}

void Parker::unpark() noexcept {
    if (state_.exchange(woken) != asleep) return;
    ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace docent::posix
