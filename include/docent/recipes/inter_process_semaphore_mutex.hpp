// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/inter_process_semaphore.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

/// A lock that belongs to nobody in particular: any thread may unlock what another has locked, and nothing is reentrant, so
/// that a thread that locks twice waits for itself. A semaphore with one permit, wire-compatible with Curator's
/// InterProcessSemaphoreMutex on the same path; it does not exclude an InterProcessMutex there.
///
/// Fairness, cost, errors, lifetime and thread safety: as InterProcessSemaphore.
class DOCENT_EXPORT InterProcessSemaphoreMutex
    : public detail::AsyncLock<detail::Holder<detail::SemaphoreCore>, Lease, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`. Nothing is sent.
    InterProcessSemaphoreMutex(Client& client, std::string_view path, LockOptions options = {});
    ~InterProcessSemaphoreMutex();
    InterProcessSemaphoreMutex(const InterProcessSemaphoreMutex&) = delete;
    InterProcessSemaphoreMutex& operator=(const InterProcessSemaphoreMutex&) = delete;

    const std::string& path() const noexcept { return semaphore_.path(); }

    /// Waits for the lock. Interruptible by `boost::thread::interrupt()`.
    void lock();
    bool try_lock();
    template <typename Rep, typename Period> bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
        return keep(semaphore_.try_acquire_for(timeout));
    }
    template <typename Clock, typename Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return try_lock_for(detail::deadline_at(deadline) - std::chrono::steady_clock::now());
    }
    /// Gives back what was locked through this object: by the calling thread if it has locked, otherwise what was locked first.
    /// (There can be two if the first one was lost.) Returns without waiting for the server. Errors: throws `error::not_owner`.
    void unlock();

    /// Whether the lock was locked through this object, and is certainly still held.
    bool is_locked() const;
    /// Stop token of what was locked last: see Lease::stop_token(). If nothing was, a token that never stops.
    std::stop_token stop_token() const;
    /// Fencing token of what was locked last: see Lease::fencing_token(). Errors: throws `error::not_owner`.
    std::int64_t fencing_token() const;

    /// The same as a Lease, which is not this object's to unlock.
    Lease acquire(CallOptions call = {}) { return semaphore_.acquire(std::move(call)); }
    Lease acquire(error_code& ec, CallOptions call = {}) { return semaphore_.acquire(ec, std::move(call)); }
    std::optional<Lease> try_acquire(CallOptions call = {}) { return semaphore_.try_acquire(std::move(call)); }
    std::optional<Lease> try_acquire(error_code& ec, CallOptions call = {}) {
        return semaphore_.try_acquire(ec, std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call = {}) {
        return semaphore_.try_acquire_for(timeout, std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, error_code& ec,
                                         CallOptions call = {}) {
        return semaphore_.try_acquire_for(timeout, ec, std::move(call));
    }

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other =
            detail::Rebound<detail::AsyncLock<InterProcessSemaphoreMutex, Lease, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    InterProcessSemaphoreMutex(detail::SameObject, const InterProcessSemaphoreMutex& other);

private:
    friend class LockMember;
    struct Holds;
    bool keep(std::optional<Lease> lease);

    InterProcessSemaphore semaphore_;
    detail::ProcessOwned<Holds> holds_;
};

} // namespace docent
