// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/async_lock.hpp>
#include <docent/export.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/lock_member.hpp>
#include <docent/recipes/multi_lease.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace docent {

class Client;

namespace detail {
class MultiCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const MultiCore&);
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<MultiCore>&, AcquireWait, CallOptions, Handler<MultiLease>);
} // namespace detail

/// Several locks as one: all of them, or none. Each is on the server what it is by itself, so that it excludes those who take
/// it alone, docent's and Curator's.
///
/// **No deadlock.** All that are free are taken at once. Whoever has to wait for one holds meanwhile only those of the others
/// that come before it in the order of paths, as the server knows them, and gives the rest back. So it does not matter in
/// which order whom lists the locks; a thread that takes single locks one by one in the order of their paths fits in, too.
///
/// **Fairness.** Strict in the queue of each lock, once it is waited for; among those who want different sets, none. Nobody
/// waits for ever as long as every holder releases.
///
/// **Loss.** If a lock is lost while others are waited for, all from that one on are acquired anew. What is granted was held
/// completely at that moment.
///
/// **Cost.** Free locks take one round trip together; each one that has to be waited for, one hand-off and one round trip more.
///
/// **Errors** of every acquiring call: those of InterProcessMutex, for any of the locks. The others are then given back, and
/// MultiLease::failures(), or MultiLockError::failures(), says what went wrong with which. Whatever ends an acquire, nothing
/// is left on the server, in the background if need be. A tracer hears of each attempt at a lock as an `acquire`, and of each
/// lock's `release`.
///
/// Leases are not reentrant. The asynchronous forms are those of detail::AsyncLock, for a MultiLease. Lifetime and thread
/// safety: as InterProcessMutex.
class DOCENT_EXPORT InterProcessMultiLock
    : public detail::AsyncLock<detail::Holder<detail::MultiCore>, MultiLease, asio::deferred_t> {
public:
    /// Mutexes, sides of read/write locks, permits of semaphores: `InterProcessMultiLock all{{accounts, ledger.write_lock(),
    /// seats}}`. All must be of one client (or of views of one client) and have different paths on the server. Errors: throws
    /// `server_error::bad_arguments` (no lock at all, or two clients) and `error::would_deadlock` (one path twice: it would
    /// wait for itself). Nothing is sent.
    explicit InterProcessMultiLock(const std::vector<LockMember>& locks);
    /// A mutex at each path. Errors: also `error::invalid_path`.
    InterProcessMultiLock(Client& client, const std::vector<std::string>& paths);
    ~InterProcessMultiLock();
    InterProcessMultiLock(const InterProcessMultiLock&) = delete;
    InterProcessMultiLock& operator=(const InterProcessMultiLock&) = delete;

    /// Paths of the locks, as they were listed.
    std::vector<std::string> paths() const;

    /// Waits for all locks. `call.timeout`, when given, fails with `error::not_acquired`. A thread that holds one of them by
    /// `lock()` gets `error::would_deadlock`.
    MultiLease acquire(CallOptions call = {});
    MultiLease acquire(error_code& ec, CallOptions call = {});
    /// All locks if they are free now. When several try at the same moment, each may find one taken by another. Which of them
    /// are taken, async_try_acquire() tells.
    std::optional<MultiLease> try_acquire(CallOptions call = {});
    std::optional<MultiLease> try_acquire(error_code& ec, CallOptions call = {});
    /// All locks if they become ours within `timeout`, which bounds connecting and retrying too.
    template <typename Rep, typename Period>
    std::optional<MultiLease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<MultiLease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, error_code& ec,
                                              CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), ec, std::move(call));
    }

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other =
            detail::Rebound<detail::AsyncLock<InterProcessMultiLock, MultiLease, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    InterProcessMultiLock(detail::SameObject, const InterProcessMultiLock& other);

private:
    std::optional<MultiLease> try_acquire_until_steady(std::chrono::steady_clock::time_point deadline, CallOptions call);
    std::optional<MultiLease> try_acquire_until_steady(std::chrono::steady_clock::time_point deadline, error_code& ec,
                                                       CallOptions call);
};

} // namespace docent
