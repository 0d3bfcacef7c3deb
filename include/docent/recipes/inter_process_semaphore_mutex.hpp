// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace docent {

/// A lock without an owner: any thread may unlock it. Excludes Java Curator's
/// InterProcessSemaphoreMutex on the same path.
///
/// ```cpp
/// docent::InterProcessSemaphoreMutex mutex{client, "/locks/handover"};
/// if (mutex.try_lock_for(5s)) {
///     const std::int64_t token = mutex.fencing_token();
///     mutex.unlock(); // on this thread or on another
/// }
/// ```
///
/// It is a semaphore with one permit, and not reentrant: a thread that locks twice waits for
/// itself. It does not exclude an InterProcessMutex on the same path.
///
/// acquire() and its variants return a Lease, which unlock() does not release.
///
/// Order, cost, errors, lifetime and thread safety: as InterProcessSemaphore.
/// @ingroup locks
class DOCENT_EXPORT InterProcessSemaphoreMutex
    : public detail::LockOf<InterProcessSemaphoreMutex, detail::SemaphoreCore, Lease> {
public:
    /// Makes a lock at `path`. Sends nothing. Errors: as the constructor of InterProcessSemaphore.
    InterProcessSemaphoreMutex(Client& client, std::string_view path, LockOptions options = {});
    /// Releases the holds of lock() without waiting, unless another object made by
    /// `as_default_on()` shares them.
    ~InterProcessSemaphoreMutex() = default;
    InterProcessSemaphoreMutex(const InterProcessSemaphoreMutex&) = delete;            ///< Not copyable.
    InterProcessSemaphoreMutex& operator=(const InterProcessSemaphoreMutex&) = delete; ///< Not copyable.

    /// The path of the lock.
    const std::string& path() const noexcept { return semaphore_.path(); }

    /// Waits for the lock. `boost::thread::interrupt()` interrupts the wait.
    void lock();
    /// Locks if the lock is free now, and returns whether it did.
    bool try_lock();
    /// Locks within `timeout`, and returns whether it did.
    template <typename Rep, typename Period> bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
        return keep(semaphore_.try_acquire_for(timeout));
    }
    /// Locks before `deadline`, and returns whether it did.
    template <typename Clock, typename Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return try_lock_for(detail::deadline_at(deadline) - std::chrono::steady_clock::now());
    }
    /// Releases the lock that was locked through this object, without waiting for the server. Any
    /// thread may call it.
    ///
    /// There are two holds if an earlier one has ended (it was lost, or `max_hold` is over) and was
    /// not unlocked. Then this releases the calling thread's hold, or the oldest if this thread has
    /// none. Does nothing in a child made by `fork()`. Errors: throws `error::not_owner` without a
    /// hold.
    void unlock();

    /// Whether the lock was locked through this object and is certainly still held. No network.
    bool is_locked() const;
    /// The stop token of the latest hold, see Lease::stop_token(). Without a hold, a token that
    /// never stops.
    std::stop_token stop_token() const;
    /// The fencing token of the latest hold, see Lease::fencing_token(). Errors: throws
    /// `error::not_owner`, or `error::other_process` in a child made by `fork()`.
    std::int64_t fencing_token() const;

protected:
    /// For `as_default_on()`: another object for the same state.
    InterProcessSemaphoreMutex(detail::SameObject same, const InterProcessSemaphoreMutex& other)
        : AsyncLock(same, other), semaphore_(same, other.semaphore_), holds_(other.holds_) {}

private:
    friend class LockMember;
    struct Holds;
    bool keep(std::optional<Lease> lease);

    InterProcessSemaphore semaphore_;
    detail::ProcessOwned<Holds> holds_;
};

} // namespace docent
