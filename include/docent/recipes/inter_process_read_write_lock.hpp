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

/// A fair lock for many readers or one writer. Excludes Java Curator's InterProcessReadWriteLock on
/// the same path.
///
/// ```cpp
/// docent::InterProcessReadWriteLock table{client, "/locks/table"};
/// docent::Lease writing = table.write_lock().acquire();
/// docent::Lease reading = writing.downgrade(); // ahead of the writers that wait
/// reading.release();
/// ```
///
/// Each side is an InterProcessMutex: a thread locks it, reentrantly, by lock(), or acquire()
/// returns a Lease. The object as a whole is a SharedTimedLockable, for `std::unique_lock` and
/// `std::shared_lock`.
///
/// **Order.** Waiters are admitted strictly in the order of arrival. A reader waits for each writer
/// ahead of it, and a writer waits for all ahead of it. A reader is woken once, however many
/// writers are ahead.
///
/// **Write, then read.** A thread that holds the write lock by lock() gets the read lock at once by
/// `read_lock().lock()`. When it then unlocks the write lock, it keeps reading, ahead of the waiting
/// writers. Lease::downgrade() does the same for a lease.
///
/// **Read, then write** would deadlock: lock() fails with `error::would_deadlock`, and try_lock()
/// and try_lock_for() return false. While the thread holds a side by lock(), acquire() and
/// try_acquire_for() of both sides fail with `error::would_deadlock`, and try_acquire() gives
/// nothing. If the hold on one side is lost, lock() and the variants of try_lock() of the other side
/// fail with `error::lease_lost` until the thread has unlocked.
///
/// Errors, lifetime and thread safety: as InterProcessMutex.
/// @ingroup locks
class DOCENT_EXPORT InterProcessReadWriteLock {
public:
    /// Makes a read/write lock at `path`. The nodes of both sides get the same data. Sends nothing.
    ///
    /// Errors: as the constructor of InterProcessMutex.
    InterProcessReadWriteLock(Client& client, std::string_view path, LockOptions options = {});
    /// Destroys the object, as the destructor of InterProcessMutex does.
    ~InterProcessReadWriteLock() = default;
    InterProcessReadWriteLock(const InterProcessReadWriteLock&) = delete;            ///< Not copyable.
    InterProcessReadWriteLock& operator=(const InterProcessReadWriteLock&) = delete; ///< Not copyable.

    /// The path of the lock.
    const std::string& path() const noexcept;
    /// The reader's side.
    InterProcessMutex& read_lock() noexcept { return read_; }
    /// The writer's side.
    InterProcessMutex& write_lock() noexcept { return write_; }

    // Members of TimedLockable: the write lock of the calling thread.
    /// Waits until the calling thread has the write lock, see InterProcessMutex::lock().
    void lock() { write_.lock(); }
    /// Takes the write lock if it is free now, see InterProcessMutex::try_lock().
    bool try_lock() { return write_.try_lock(); }
    /// Takes the write lock within `timeout`, see InterProcessMutex::try_lock_for().
    template <typename Rep, typename Period> bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
        return write_.try_lock_for(timeout);
    }
    /// Takes the write lock before `deadline`, see InterProcessMutex::try_lock_until().
    template <typename Clock, typename Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return write_.try_lock_until(deadline);
    }
    /// Ends one level of the calling thread's write lock, see InterProcessMutex::unlock().
    void unlock() { write_.unlock(); }

    // Members of SharedTimedLockable: the read lock of the calling thread.
    /// Waits until the calling thread has the read lock, see InterProcessMutex::lock().
    void lock_shared() { read_.lock(); }
    /// Takes the read lock if no writer is ahead now, see InterProcessMutex::try_lock().
    bool try_lock_shared() { return read_.try_lock(); }
    /// Takes the read lock within `timeout`, see InterProcessMutex::try_lock_for().
    template <typename Rep, typename Period> bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& timeout) {
        return read_.try_lock_for(timeout);
    }
    /// Takes the read lock before `deadline`, see InterProcessMutex::try_lock_until().
    template <typename Clock, typename Duration>
    bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return read_.try_lock_until(deadline);
    }
    /// Ends one level of the calling thread's read lock, see InterProcessMutex::unlock().
    void unlock_shared() { read_.unlock(); }

    /// The executor type, as in InterProcessMutex.
    using executor_type = InterProcessMutex::executor_type;
    /// The client's executor, where handlers without an executor of their own are called.
    executor_type get_executor() const { return read_.get_executor(); }
    /// For `as_default_on()`, see Client: this class with the default completion token of
    /// `Executor` for both sides.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        /// The class with that default token.
        using other = detail::Rebound<detail::ReboundSides<Executor>, Executor>;
    };

protected:
    /// For `as_default_on()`: another object for the same state.
    InterProcessReadWriteLock(detail::SameObject same, const InterProcessReadWriteLock& other)
        : write_(same, other.write_), read_(same, other.read_) {}

private:
    struct Sides;
    explicit InterProcessReadWriteLock(Sides sides);

    InterProcessMutex write_;
    InterProcessMutex read_;
};

/// A read/write lock with sides that have the default completion token of `Executor`.
/// @ingroup locks
template <typename Executor> class detail::ReboundSides : public InterProcessReadWriteLock {
    using Side = typename InterProcessMutex::rebind_executor<Executor>::other;

public:
    /// Takes the sides of `lock`.
    explicit ReboundSides(InterProcessReadWriteLock&& lock)
        : InterProcessReadWriteLock(SameObject{}, lock), write_(std::move(lock.write_lock())),
          read_(std::move(lock.read_lock())) {}
    /// As the constructor of InterProcessReadWriteLock.
    ReboundSides(Client& client, std::string_view path, LockOptions options = {})
        : ReboundSides(InterProcessReadWriteLock(client, path, std::move(options))) {}

    /// The reader's side.
    Side& read_lock() noexcept { return read_; }
    /// The writer's side.
    Side& write_lock() noexcept { return write_; }

private:
    Side write_;
    Side read_;
};

} // namespace docent
