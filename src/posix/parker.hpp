// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <atomic>

namespace docent::posix {

/// Puts one thread to sleep until another thread wakes it. Each side makes one system call, or none if the thread is not
/// asleep. (std::atomic::wait() first yields the processor several times. On a busy machine each yield can take as long as
/// another thread's time slice.)
class Parker {
public:
    /// Sleeps until unpark(). Returns at once if that was called before. Everything that the other thread wrote before unpark()
    /// is visible afterwards.
    void park() noexcept;

    /// Wakes the thread. Call it once. The thread may destroy this object as soon as it is awake: the caller must keep the
    /// object alive until this call has returned.
    void unpark() noexcept;

private:
    enum : int { awake, asleep, woken };
    std::atomic<int> state_{awake};
};

/// Delays pthread_cancel() of this thread while the object exists: a cancellation in code that must not throw would end the
/// process.
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
