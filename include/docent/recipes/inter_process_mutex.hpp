// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/async_lock.hpp>
#include <docent/export.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/lock_options.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;
class LockMember;
class Transaction;

namespace detail {
class MutexCore;

DOCENT_EXPORT asio::any_io_executor executor_of(const MutexCore&);
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<MutexCore>&, AcquireWait, CallOptions, Handler<Lease>);
} // namespace detail

/// A fair lock among processes, wire-compatible with Curator's InterProcessMutex on the same path.
///
/// **Two ways to hold.** `lock()` and its kin belong to the calling thread and are reentrant; they make this a TimedLockable,
/// for `std::scoped_lock` and `std::unique_lock`. `acquire()` and its kin give a Lease, which belongs to whoever has it.
/// A thread that holds by `lock()` and then calls a blocking `acquire()` gets `error::would_deadlock`.
///
/// **Fairness.** Strict order of arrival at the server, also between this and Curator's. A waiter keeps its place through
/// every disconnection that its session survives; after a session's end it starts anew at the tail.
///
/// **Cost.** A free lock takes one round trip, a hand-off one (holder, server, next). Waiters cost no thread.
///
/// **Errors** of every acquiring call: `error::closed`, `error::not_connected` (no session for
/// `ClientConfig::connection_timeout`), `error::lock_node_deleted`, `server_error::no_auth`. Lost replies are resolved, never
/// reported. Whatever ends an acquire, its node is removed, in the background if need be.
///
/// The asynchronous forms are those of detail::AsyncLock, for a Lease.
///
/// Lifetime: must not outlive its client's `close()` usefully; every call then fails with `error::closed`. Leases may outlive
/// the mutex. Thread safety: all members from any thread.
class DOCENT_EXPORT InterProcessMutex : public detail::AsyncLock<detail::Holder<detail::MutexCore>, Lease, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`; `error::corrupt_data` if the node data cannot be compressed. Nothing is sent;
    /// parents are made when they are first needed, as `ClientConfig::own_parents` says (containers by default).
    InterProcessMutex(Client& client, std::string_view path, LockOptions options = {});
    ~InterProcessMutex();
    InterProcessMutex(const InterProcessMutex&) = delete;
    InterProcessMutex& operator=(const InterProcessMutex&) = delete;

    /// Path of the lock.
    const std::string& path() const noexcept;

    /// Waits for the lock; reentrant for the calling thread. Interruptible by `boost::thread::interrupt()`.
    /// Errors: also `error::lease_lost` when this thread still holds a lock that was lost: unlock it first.
    void lock();
    bool try_lock();
    template <typename Rep, typename Period> bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
        return try_lock_until_steady(detail::deadline_after(timeout));
    }
    template <typename Clock, typename Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return try_lock_until_steady(detail::deadline_at(deadline));
    }
    /// Gives one level back. The last one schedules the removal of the lock's node, ahead of whatever this client sends later,
    /// and returns without waiting for the server. Errors: throws `error::not_owner`.
    void unlock();

    /// Whether the calling thread holds the lock, certainly still.
    bool is_owned_by_current_thread() const;
    /// Stop token of the calling thread's hold: see Lease::stop_token(). Without a hold, a token that never stops.
    std::stop_token stop_token() const;
    /// Fencing token of the calling thread's hold: see Lease::fencing_token(). Errors: throws `error::not_owner`.
    std::int64_t fencing_token() const;

    /// Waits for the lock. `call.timeout`, when given, fails with `error::not_acquired`.
    Lease acquire(CallOptions call = {});
    Lease acquire(error_code& ec, CallOptions call = {});
    /// The lock if it is free now.
    std::optional<Lease> try_acquire(CallOptions call = {});
    std::optional<Lease> try_acquire(error_code& ec, CallOptions call = {});
    /// The lock if it becomes ours within `timeout`, which bounds connecting and retrying too.
    template <typename Rep, typename Period>
    std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, error_code& ec,
                                         CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), ec, std::move(call));
    }

    /// Lease::make_revocable() for every hold that is granted from now on, by lock() as by acquire() and their kin. Each hold
    /// keeps the handler that it was granted with, also when this object is gone; another handler replaces it for later holds,
    /// an empty one takes it away. `handler` is given the path of the node that is asked for: several threads may hold, one
    /// after the other or, to read, together. It is called for one after the other. Costs one request for each hold, which
    /// nobody waits for.
    ///
    /// What a thread holds by lock() it must unlock itself: let the handler tell it, by a std::stop_source that it looks at.
    /// `executor` must outlive this object, its holds, and what still acquires.
    void make_revocable(std::function<void(const std::string& node_path)> handler, asio::any_io_executor executor = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncLock<InterProcessMutex, Lease, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    InterProcessMutex(detail::SameObject, const InterProcessMutex& other);

private:
    friend class LockMember;
    friend class Transaction;
    friend class InterProcessReadWriteLock;
    explicit InterProcessMutex(std::shared_ptr<detail::MutexCore> core);

    bool try_lock_until_steady(std::chrono::steady_clock::time_point deadline);
    std::optional<Lease> try_acquire_until_steady(std::chrono::steady_clock::time_point deadline, CallOptions call);
    std::optional<Lease> try_acquire_until_steady(std::chrono::steady_clock::time_point deadline, error_code& ec,
                                                  CallOptions call);
};

} // namespace docent
