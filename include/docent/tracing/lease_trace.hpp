// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>

#include <chrono>
#include <string_view>

namespace docent {

/// What a lease is a lease of.
enum class LeaseKind {
    mutex,
    read,
    write,
    permit,     ///< Of a semaphore, or the one of a semaphore mutex.
    leadership, ///< Of a LeaderLatch or LeaderSelector.
};

/// What has happened to a lease, or to a wish for one. `requested` is followed by `granted` or `refused`, and `granted` by one
/// of `released`, `lost` and `expired`.
enum class LeaseEvent {
    requested,
    granted,
    refused,            ///< The acquire has failed, or ended without the lock.
    revocation_request, ///< Somebody has asked the holder for it; once at most.
    released,
    lost,
    expired, ///< `LockOptions::max_hold` has passed.
};

/// `mutex`, `read` and so on.
DOCENT_EXPORT std::string_view to_string(LeaseKind kind) noexcept;
/// `requested`, `granted` and so on.
DOCENT_EXPORT std::string_view to_string(LeaseEvent event) noexcept;

/// One event in the life of a lease: of each permit, where several are acquired together, and of each lock of a multi-lock.
struct LeaseTrace {
    LeaseEvent event = LeaseEvent::requested;
    LeaseKind kind = LeaseKind::mutex;
    std::string_view label = {}; ///< `LockOptions::label`; empty without one. Valid during the call.
    std::string_view path = {};  ///< Of the lock, as its user gave it. Valid during the call.
    /// `granted`, `refused`: since it was requested. 0 where the lease follows another one without a wait: a downgrade.
    std::chrono::nanoseconds waited{0};
    /// From its grant: `released`, `lost`, `expired`, `revocation_request`. Suspension of the machine counts.
    std::chrono::nanoseconds held{0};
    /// `released`: for how long it would have been certain to be ours without another answer of a server. Small ones tell of
    /// leases that were nearly lost.
    std::chrono::nanoseconds margin{0};
    /// `refused`: what the caller got. `lost`: the reason, the same as in the SessionEvent of the loss if the session is lost.
    /// - `server_error::session_expired`, `server_error::auth_failed`: a server said that the session has ended.
    /// - `error::not_connected`: the loss is presumed. No server answered in time, or the client's ErrorPolicy ends leases when
    ///   the connection breaks.
    /// - `server_error::no_node`: the node was deleted, and the session lives.
    /// - `error::closed`: the client was closed.
    /// A deleted node takes a round trip to explain; the loss is traced after it, and `held` ends with the loss.
    error_code ec = {};
};

} // namespace docent
