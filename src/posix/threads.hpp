// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>

#include <system_error>
#include <thread>
#include <utility>

namespace docent::posix {

/// Blocks all signals in this thread while the object exists. Threads that are started meanwhile inherit this.
class SignalsBlocked {
public:
    SignalsBlocked() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

    const sigset_t& before() const noexcept { return before_; }

private:
    sigset_t before_{};
};

/// Starts a thread that handles no signals: the program's threads do. With std::jthread as `Thread`, `function` may take a
/// std::stop_token. Throws std::system_error.
template <typename Thread = std::thread, typename Function> Thread start_quiet_thread(Function function) {
    const SignalsBlocked blocked;
    try {
        return Thread(std::move(function));
    } catch (const std::system_error& error) {
        throw std::system_error(error.code(), "no thread can be started");
    }
}

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

/// Puts one thread to sleep until another thread wakes it. Each side makes one system call, or none if the thread is not
/// asleep. (std::atomic::wait() first yields the processor several times. On a busy machine each yield can take as long as
/// another thread's time slice.)
class Parker {
public:
    Parker() noexcept { ::sem_init(&woken_, 0, 0); }
    ~Parker() { ::sem_destroy(&woken_); }
    Parker(const Parker&) = delete;
    Parker& operator=(const Parker&) = delete;

    /// Sleeps until unpark(). Returns at once if that was called before. Everything that the other thread wrote before unpark()
    /// is visible afterwards.
    void park() noexcept {
        const NotCanceled not_canceled;    // sem_wait() is a cancellation point
        while (::sem_wait(&woken_) != 0) { // a handler of a signal has interrupted it
        }
    }
    /// Wakes the thread. Call it once. The thread may destroy this object as soon as it is awake: the caller must keep the
    /// object alive until this call has returned.
    void unpark() noexcept { ::sem_post(&woken_); }

private:
    sem_t woken_{};
};

} // namespace docent::posix
