// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/async_lock.hpp>
#include <docent/export.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/lock_member.hpp>
#include <docent/recipes/multi_lease.hpp>

#include <memory>
#include <string>
#include <vector>

namespace docent {

class Client;

namespace detail {
class MultiCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const MultiCore&);
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<MultiCore>&, AcquireWait, CallOptions, Handler<MultiLease>);
DOCENT_EXPORT MultiLease block_on_acquire(const std::shared_ptr<MultiCore>&, AcquireWait, CallOptions, error_code&);
DOCENT_EXPORT void throw_if_failed(const error_code&, AcquireWait, const MultiCore&, const MultiLease&);
} // namespace detail

/// Several locks as one: an acquire gets all of them or none.
///
/// ```cpp
/// docent::InterProcessMultiLock accounts{client, {"/accounts/a", "/accounts/b"}};
/// docent::MultiLease both = accounts.acquire();
/// if (both.owns()) { /* move the money */ }
/// both.release();
/// ```
///
/// On the server each lock is the same as alone, so it excludes other users of that lock, docent's
/// and Curator's.
///
/// **No deadlock.** All free locks are taken at the same time. A client that must wait for a lock
/// keeps only the locks before it in the order of their paths on the server, and gives the others
/// back. So the order of the list does not matter. A thread that takes single locks in the order of
/// their paths fits in as well.
///
/// **Order.** Strict in the queue of each lock, from the moment when the client waits for that
/// lock. Between clients with different sets of locks there is no order. Nobody waits for ever as
/// long as each holder releases.
///
/// **Loss.** If a lock is lost while the client waits for another, that lock and all after it are
/// acquired again. At the moment of the grant, all locks are held.
///
/// **Cost.** Free locks take one round trip together. Each lock that must be waited for adds one
/// hand-off and one round trip.
///
/// **Tries.** If several clients try at the same moment, each may find a lock taken by another. To
/// learn which locks were taken, use async_try_acquire() and MultiLease::failures().
///
/// **Errors** of each acquiring call: the errors of InterProcessMutex, for any of the locks, and
/// `error::would_deadlock` from acquire() and try_acquire_for() if the calling thread holds one of
/// the locks by lock(); it takes no lock then. MultiLease::failures() and
/// MultiLockError::failures() name the locks that failed. An acquire that fails leaves nothing on
/// the server; the removal may go on in the background. A Tracer sees an `acquire` for each attempt
/// at a lock, and a `release` for each lock.
///
/// Leases are not reentrant. The asynchronous operations are members of detail::AsyncLock, and the
/// blocking acquires of detail::BlockingLock; they give a MultiLease.
///
/// Lifetime and thread safety: as InterProcessMutex.
/// @ingroup locks
class DOCENT_EXPORT InterProcessMultiLock : public detail::LockOf<InterProcessMultiLock, detail::MultiCore, MultiLease> {
public:
    /// Makes one lock of mutexes, sides of read/write locks, semaphores (one permit each) and
    /// semaphore mutexes. Sends nothing.
    ///
    /// All must belong to one client, or to views of one client, and have different paths on the
    /// server.
    ///
    /// Errors: throws `server_error::bad_arguments` (no locks, or two clients) and
    /// `error::would_deadlock` (the same path twice).
    explicit InterProcessMultiLock(const std::vector<LockMember>& locks);
    /// Makes one lock of a mutex at each of `paths`. Errors: also `error::invalid_path`.
    InterProcessMultiLock(Client& client, const std::vector<std::string>& paths);
    /// Destroys the object. Leases and waiting calls go on.
    ~InterProcessMultiLock() = default;
    InterProcessMultiLock(const InterProcessMultiLock&) = delete;            ///< Not copyable.
    InterProcessMultiLock& operator=(const InterProcessMultiLock&) = delete; ///< Not copyable.

    /// The paths of the locks, in the order of the list.
    std::vector<std::string> paths() const;

protected:
    /// For `as_default_on()`: another object for the same state.
    InterProcessMultiLock(detail::SameObject same, const InterProcessMultiLock& other) : AsyncLock(same, other) {}
};

} // namespace docent
