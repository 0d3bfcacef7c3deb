// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/inter_process_mutex.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

namespace detail {
template <typename Executor> class ReboundSides;
} // namespace detail

/// A fair lock that many may hold to read, or one to write; wire-compatible with Curator's InterProcessReadWriteLock on the
/// same path.
///
/// Each side is a lock with all that InterProcessMutex has: thread-owned and reentrant by `lock()`, or a Lease by `acquire()`.
/// The whole is a SharedTimedLockable, for `std::unique_lock` and `std::shared_lock`.
///
/// **Fairness.** Strict order of arrival: a reader waits for every writer ahead of it, a writer for everybody ahead of it. A
/// reader is woken once, whatever the number of writers ahead.
///
/// **Writing, then reading.** A thread that holds the write lock gets the read lock at once; when it then unlocks the write
/// lock, its reading keeps the place in front of the writers that wait (downgrade). Lease::downgrade() does the same for a
/// lease.
/// **Reading, then writing** would wait for itself: `error::would_deadlock` from the forms that wait without limit; those that
/// try say no. A thread whose lock was lost gets neither way in: `error::lease_lost` until it has unlocked.
///
/// Errors, lifetime and thread safety: as InterProcessMutex.
class DOCENT_EXPORT InterProcessReadWriteLock {
public:
    /// Both sides' nodes get the node data. Errors: throws `error::invalid_path`; `error::corrupt_data` if the node data cannot
    /// be compressed. Nothing is sent.
    InterProcessReadWriteLock(Client& client, std::string_view path, LockOptions options = {});
    ~InterProcessReadWriteLock();
    InterProcessReadWriteLock(const InterProcessReadWriteLock&) = delete;
    InterProcessReadWriteLock& operator=(const InterProcessReadWriteLock&) = delete;

    const std::string& path() const noexcept;
    InterProcessMutex& read_lock() noexcept { return read_; }
    InterProcessMutex& write_lock() noexcept { return write_; }

    // The write lock of the calling thread.
    void lock() { write_.lock(); }
    bool try_lock() { return write_.try_lock(); }
    template <typename Rep, typename Period> bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
        return write_.try_lock_for(timeout);
    }
    template <typename Clock, typename Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return write_.try_lock_until(deadline);
    }
    void unlock() { write_.unlock(); }

    // The read lock of the calling thread.
    void lock_shared() { read_.lock(); }
    bool try_lock_shared() { return read_.try_lock(); }
    template <typename Rep, typename Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& timeout) {
        return read_.try_lock_for(timeout);
    }
    template <typename Clock, typename Duration>
    bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return read_.try_lock_until(deadline);
    }
    void unlock_shared() { read_.unlock(); }

    /// See InterProcessMutex.
    using executor_type = InterProcessMutex::executor_type;
    executor_type get_executor() const { return read_.get_executor(); }
    /// For `as_default_on()`: see Client. It is the sides that have asynchronous operations.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::ReboundSides<Executor>, Executor>;
    };

protected:
    InterProcessReadWriteLock(detail::SameObject, const InterProcessReadWriteLock& other);

private:
    struct Sides;
    explicit InterProcessReadWriteLock(Sides sides);

    InterProcessMutex write_;
    InterProcessMutex read_;
};

template <typename Executor> class detail::ReboundSides : public InterProcessReadWriteLock {
    using Side = typename InterProcessMutex::rebind_executor<Executor>::other;

public:
    explicit ReboundSides(InterProcessReadWriteLock&& lock)
        : InterProcessReadWriteLock(SameObject{}, lock), write_(std::move(lock.write_lock())),
          read_(std::move(lock.read_lock())) {}
    ReboundSides(Client& client, std::string_view path, LockOptions options = {})
        : ReboundSides(InterProcessReadWriteLock(client, path, std::move(options))) {}

    Side& read_lock() noexcept { return read_; }
    Side& write_lock() noexcept { return write_; }

private:
    Side write_;
    Side read_;
};

} // namespace docent
