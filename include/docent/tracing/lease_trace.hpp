// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>

#include <chrono>
#include <string_view>

namespace docent {

/// The kind of lock that a lease holds.
/// @ingroup tracing
enum class LeaseKind {
    mutex,      ///< An InterProcessMutex.
    read,       ///< The read lock of an InterProcessReadWriteLock.
    write,      ///< The write lock of an InterProcessReadWriteLock.
    permit,     ///< A permit of an InterProcessSemaphore, or an InterProcessSemaphoreMutex.
    leadership, ///< A LeaderLatch or LeaderSelector.
};

/// An event of a lease or of a request for a lease.
///
/// `requested` is followed by `granted` or `refused`. `granted` is followed by `released`, `lost` or `expired`.
/// @ingroup tracing
enum class LeaseEvent {
    requested,          ///< A caller asked for the lock.
    granted,            ///< The caller got the lock.
    refused,            ///< The request ended without the lock.
    revocation_request, ///< Another client asked the holder to release the lock. At most one such event for a lease.
    released,           ///< The holder released the lock.
    lost,               ///< The lease was lost.
    expired,            ///< `LockOptions::max_hold` has passed.
};

/// Returns the name of the kind, for example `mutex`.
/// @ingroup tracing
DOCENT_EXPORT std::string_view to_string(LeaseKind kind) noexcept;
/// Returns the name of the event, for example `requested`.
/// @ingroup tracing
DOCENT_EXPORT std::string_view to_string(LeaseEvent event) noexcept;

/// One event of one lease. Each permit of a semaphore and each lock of a multi-lock is a lease.
/// ```cpp
/// struct Losses : docent::Tracer {
///     void on_lease(const docent::LeaseTrace& trace) override {
///         if (trace.event != docent::LeaseEvent::lost) return;
///         paths.emplace_back(trace.path); // a copy
///     }
///     std::vector<std::string> paths;
/// };
/// ```
/// Lifetime: the texts are valid during the call of Tracer::on_lease. Copy them to keep them.
/// @ingroup tracing
struct LeaseTrace {
    LeaseEvent event = LeaseEvent::requested; ///< The event.
    LeaseKind kind = LeaseKind::mutex;        ///< The kind of lock.
    std::string_view label = {};              ///< `LockOptions::label`; empty if the lock has no label.
    std::string_view path = {};               ///< The path of the lock as the caller gave it.
    /// For `granted` and `refused`: the time since `requested`.
    ///
    /// Almost 0 after a downgrade, which does not wait.
    std::chrono::nanoseconds waited{0};
    /// For `released`, `lost`, `expired` and `revocation_request`: the time since `granted`.
    ///
    /// The time while the machine is suspended counts.
    std::chrono::nanoseconds held{0};
    /// For `released`: how much longer the lease was certain to be valid without another answer from a server.
    ///
    /// A small margin shows that the lease was nearly lost.
    std::chrono::nanoseconds margin{0};
    /// For `refused`: the caller's error. For `lost`: the reason.
    /// - `server_error::session_expired`, `server_error::auth_failed`: a server said that the session has ended.
    /// - `error::not_connected`: the client presumes the loss. No server answered in time, or the client's ErrorPolicy ends
    ///   leases when the connection breaks.
    /// - `server_error::no_node`: the lock's node was deleted while the session lives.
    /// - `error::closed`: the client was closed.
    ///
    /// If the session is lost, the SessionEvent has the same reason. After the loss of a node, the client needs a round trip
    /// to find the reason. It reports the loss after that; `held` ends with the loss itself.
    error_code ec = {};
};

} // namespace docent
