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
#include <stop_token>
#include <string>
#include <string_view>

namespace docent {

class Client;
class LockMember;
class Transaction;

namespace detail {
class MutexCore;

DOCENT_EXPORT asio::any_io_executor executor_of(const MutexCore&);
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<MutexCore>&, AcquireWait, CallOptions, Handler<Lease>);
DOCENT_EXPORT Lease block_on_acquire(const std::shared_ptr<MutexCore>&, AcquireWait, CallOptions, error_code&);
DOCENT_EXPORT void throw_if_failed(const error_code&, AcquireWait, const MutexCore&, const Lease&);
} // namespace detail

/// A fair lock that one process holds at a time. Excludes Java Curator's InterProcessMutex on the
/// same path.
///
/// ```cpp
/// docent::InterProcessMutex mutex{client, "/locks/nightly"};
/// docent::Lease lease = mutex.acquire(); // waits for its turn
/// if (lease.owns()) { /* the work */ }
/// lease.release(); // or leave the scope
/// if (auto other = mutex.try_acquire_for(5s)) other->release();
/// ```
///
/// **Two ways to hold.** lock() and the other members of TimedLockable belong to the calling thread
/// and are reentrant; they fit `std::scoped_lock` and `std::unique_lock`. acquire() and its
/// variants return a Lease, which belongs to the object's owner and is not reentrant. A thread that
/// holds the mutex by lock() and calls acquire() or try_acquire_for() gets `error::would_deadlock`.
///
/// **Order.** Waiters get the lock in the order in which their requests reach the server, docent's
/// and Curator's alike. A waiter keeps its place through each disconnection that its session
/// survives. After the end of its session it starts again at the end of the queue.
///
/// **Cost.** A free lock takes one round trip, a hand-off to the next waiter takes one. A waiter
/// costs no thread.
///
/// **Errors** of each acquiring call: `error::closed`, `error::not_connected` (no session for
/// `ClientConfig::connection_timeout`; a waiter with a place in the queue waits for as long as its
/// session may live), `error::lock_node_deleted`, `error::numbers_used_up`,
/// `error::too_many_watches`, `error::reply_too_large`, `error::tls_failed`,
/// `server_error::no_auth`, `server_error::auth_failed`, and `server_error::session_expired` if the
/// retry policy stays within a session. A lost reply is resolved and not reported. If an acquire ends without
/// the lock, docent removes its node, in the background if necessary.
///
/// The asynchronous operations are members of detail::AsyncLock, and the blocking acquires of
/// detail::BlockingLock; they give a Lease.
///
/// Lifetime: once the client is closed, operations that need a server fail with `error::closed`.
/// Leases may outlive the mutex. Thread safety: all members may be called from any thread.
/// @ingroup locks
class DOCENT_EXPORT InterProcessMutex : public detail::LockOf<InterProcessMutex, detail::MutexCore, Lease> {
public:
    /// Makes a mutex at `path`. Sends nothing; its parents are made when first needed, as
    /// `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the node's data cannot be
    /// compressed), and `server_error::bad_arguments` (an option is invalid, see LockOptions).
    InterProcessMutex(Client& client, std::string_view path, LockOptions options = {});
    /// Destroys the object; schedules the release of what threads still hold by lock(). Leases and
    /// waiting calls go on.
    ~InterProcessMutex() = default;
    InterProcessMutex(const InterProcessMutex&) = delete;            ///< Not copyable.
    InterProcessMutex& operator=(const InterProcessMutex&) = delete; ///< Not copyable.

    /// The path of the lock.
    const std::string& path() const noexcept;

    /// Waits until the calling thread has the lock; reentrant. `boost::thread::interrupt()`
    /// interrupts the wait.
    ///
    /// Errors: also `error::lease_lost` if this thread still has a lost hold; unlock() that first.
    void lock();
    /// Locks for the calling thread if the lock is free now, and returns whether it did. Errors: as
    /// lock().
    bool try_lock();
    /// Locks for the calling thread within `timeout`, and returns whether it did. Errors: as
    /// lock().
    template <typename Rep, typename Period> bool try_lock_for(const std::chrono::duration<Rep, Period>& timeout) {
        return try_lock_until_steady(detail::deadline_after(timeout));
    }
    /// Locks for the calling thread before `deadline`, and returns whether it did. Errors: as
    /// lock().
    template <typename Clock, typename Duration> bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) {
        return try_lock_until_steady(detail::deadline_at(deadline));
    }
    /// Ends one level of the calling thread's hold. The last level releases the lock, without
    /// waiting for the server.
    ///
    /// The removal of the node goes ahead of all later requests of this client. Errors: throws
    /// `error::not_owner`.
    void unlock();

    /// Whether the calling thread certainly still holds the lock by lock(). No network.
    bool is_owned_by_current_thread() const;
    /// The stop token of the calling thread's hold, see Lease::stop_token(). Without a hold, a
    /// token that never stops.
    std::stop_token stop_token() const;
    /// The fencing token of the calling thread's hold, see Lease::fencing_token(). Errors: throws
    /// `error::not_owner`.
    std::int64_t fencing_token() const;
    /// The path of the node of the calling thread's hold, see Lease::node_path(). Errors: throws
    /// `error::not_owner`.
    std::string node_path() const;

    /// Calls Lease::make_revocable() for each hold that is granted from now on, by lock() or by
    /// acquire().
    ///
    /// The handler gets the path of the node that another client asks for. Each hold keeps the
    /// handler with which it was granted, also after this object is gone. A new handler applies to
    /// later holds; an empty one ends this. It is called for one hold after the other. It costs one
    /// request for each hold, in the background.
    ///
    /// Only the thread itself can unlock() its hold: let the handler signal that thread, for
    /// example by a `std::stop_source`. `executor` must outlive this object, its holds, and its
    /// acquires that are under way.
    void make_revocable(std::function<void(const std::string& node_path)> handler, asio::any_io_executor executor = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    InterProcessMutex(detail::SameObject same, const InterProcessMutex& other) : AsyncLock(same, other) {}

private:
    friend class LockMember;
    friend class Transaction;
    friend class InterProcessReadWriteLock;
    explicit InterProcessMutex(std::shared_ptr<detail::MutexCore> core);

    bool try_lock_until_steady(std::chrono::steady_clock::time_point deadline);
};

} // namespace docent
