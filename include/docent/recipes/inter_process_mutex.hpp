// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/acquire_wait.hpp>
#include <docent/detail/async.hpp>
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
/// Lifetime: must not outlive its client's `close()` usefully; every call then fails with `error::closed`. Leases may outlive
/// the mutex. Thread safety: all members from any thread.
class DOCENT_EXPORT InterProcessMutex {
public:
    /// Errors: throws `error::invalid_path`; `error::corrupt_data` if the node data cannot be compressed. Nothing is sent;
    /// parents are made when they are first needed, as containers.
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

    /// Waits for its turn in the queue at path() and completes with the lease.
    ///
    /// Completion signature: `void(error_code, Lease)`.
    /// Cancellation: `terminal`, `partial`, `total`; completes at once with `operation_aborted`, the queue node is removed in
    /// the background, also across a reconnect.
    /// Lifetime: `*this` may be destroyed before completion.
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_acquire(Token&& token = Token{}) {
        return initiate({}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_acquire(CallOptions call, Token&& token = Token{}) {
        return initiate({}, std::move(call), token);
    }
    /// The same; `error::not_acquired` if the lock is not free.
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire(Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::not_at_all}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire(CallOptions call, Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    /// The same; `error::not_acquired` if the lock is not ours within `timeout`.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::until, detail::deadline_after(timeout)}, {}, token);
    }
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call, Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::until, detail::deadline_after(timeout)}, std::move(call), token);
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

private:
    friend class LockMember;
    friend class Transaction;
    friend class InterProcessReadWriteLock;
    explicit InterProcessMutex(std::shared_ptr<detail::MutexCore> core);

    template <typename Token> auto initiate(detail::AcquireWait wait, CallOptions call, Token& token) {
        return asio::async_initiate<Token, void(error_code, Lease)>(
            [](auto handler, std::shared_ptr<detail::MutexCore> core, detail::AcquireWait w, CallOptions c) {
                detail::initiate_acquire(core, w, std::move(c), std::move(handler));
            },
            token, core_, wait, std::move(call));
    }

    bool try_lock_until_steady(std::chrono::steady_clock::time_point deadline);
    std::optional<Lease> try_acquire_until_steady(std::chrono::steady_clock::time_point deadline, CallOptions call);
    std::optional<Lease> try_acquire_until_steady(std::chrono::steady_clock::time_point deadline, error_code& ec,
                                                  CallOptions call);

    std::shared_ptr<detail::MutexCore> core_;
};

} // namespace docent
