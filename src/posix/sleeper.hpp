// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>

namespace docent::posix {

/// One thread that sleeps until another one wakes it: one system call on either side, none if it is not asleep. (That of
/// std::atomic gives up the processor some times before it sleeps: as many system calls, and where others have work to do, each
/// of them comes back when theirs is done.)
class Sleeper {
public:
    /// Until wake(), whichever comes first. What was written before that can be read after this.
    void sleep() noexcept;

    /// Once. The sleeper may end as soon as it is awake: who calls this must see to it that it lasts.
    void wake() noexcept;

private:
    enum : int { awake, asleep, woken };
    std::atomic<int> state_{awake};
};

/// While it lives, pthread_cancel() of this thread waits: what must not throw would end the process by it.
class NotCanceled {
public:
    NotCanceled() noexcept { ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NotCanceled() { ::pthread_setcancelstate(before_, nullptr); }
    NotCanceled(const NotCanceled&) = delete;
    NotCanceled& operator=(const NotCanceled&) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace docent::posix
