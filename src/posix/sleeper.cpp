// SPDX-License-Identifier: Apache-2.0
#include "posix/sleeper.hpp"

#include "posix/bell.hpp"

#include <linux/futex.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace docent::posix {

static_assert(sizeof(std::atomic<int>) == sizeof(int) && std::atomic<int>::is_always_lock_free); // what the kernel looks at

void Sleeper::sleep() noexcept {
    int state = awake;
    state_.compare_exchange_strong(state, asleep, std::memory_order_acq_rel);
    while (state != woken) { // the kernel returns early at times
        ::syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, asleep, nullptr, nullptr, 0);
        state = state_.load(std::memory_order_acquire);
    }
}

Sleeper::Woke Sleeper::sleep_beside(int descriptor, const std::shared_ptr<Bell>& bell,
                                    std::chrono::milliseconds longest) noexcept {
    bell_ = bell;
    int state = awake;
    if (!state_.compare_exchange_strong(state, beside, std::memory_order_acq_rel)) return Woke::by_wake;
    std::array<pollfd, 2> polled{{{descriptor, POLLIN, 0}, {bell->descriptor(), POLLIN, 0}}};
    const NotCanceled not_canceled; // as little as while it sleeps otherwise
    const int ready = ::poll(polled.data(), polled.size(), static_cast<int>(longest.count()));
    if (ready > 0 && polled[1].revents != 0) bell->silence(); // it may have been rung for who slept here before
    state = beside;
    if (!state_.compare_exchange_strong(state, awake, std::memory_order_acq_rel)) return Woke::by_wake;
    return ready > 0 && polled[0].revents != 0 ? Woke::by_input : Woke::too_early;
}

void Sleeper::wake() noexcept {
    switch (state_.exchange(woken, std::memory_order_acq_rel)) {
    case asleep: ::syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0); break;
    case beside: bell_->ring(); break;
    default: break;
    }
}

} // namespace docent::posix
