// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>
#include <docent/session_event.hpp>
#include <docent/tracing/lease_trace.hpp>

#include <chrono>
#include <cstddef>
#include <string_view>

namespace docent {

/// One finished operation of a client. A value of the call that brings it: copy the texts to keep them.
struct OperationTrace {
    std::string_view name;               ///< `create`, `get`, `acquire` and so on: a small, fixed set. Valid during the call.
    std::string_view path;               ///< As the caller gave it, checked or not. Valid during the call.
    std::chrono::nanoseconds latency{0}; ///< From the call to its completion: waits, pauses and retries included.
    std::size_t request_bytes = 0;       ///< Of its requests, over all tries, as they are encoded.
    std::size_t response_bytes = 0;      ///< Of the replies.
    int requests = 0;                    ///< Requests sent for it; 0 if it failed before the first.
    int retries = 0;                     ///< How often it was tried again.
    error_code ec;                       ///< What its caller got.
};

/// What a client has open besides its operations.
struct ClientLoad {
    std::size_t pending_removals = 0; ///< Nodes that it still has to remove: of leases and of attempts that are over.
    std::size_t watches = 0;          ///< That the server keeps for it.
    friend bool operator==(const ClientLoad&, const ClientLoad&) = default;
};

/// Hears of all that a client does. Derive from it and override what is of interest.
///
/// Threads: called on the executor that the client was given, or on its second thread, one call at a time, in no order with the
/// handler of the operation. A slow call delays those that follow and nothing else; what it has not heard yet takes memory.
/// Several clients may share a tracer; then calls come from several threads at once.
/// Errors: a call must not throw.
/// Lifetime: shared with the client, which may call it until it has been closed and destroyed.
class DOCENT_EXPORT Tracer {
public:
    Tracer() = default;
    Tracer(const Tracer&) = delete;
    Tracer& operator=(const Tracer&) = delete;
    virtual ~Tracer() = default;

    /// An operation has completed, with success or without.
    virtual void on_operation(const OperationTrace&) {}
    /// The session's state has changed; in order, none left out.
    virtual void on_session_event(const SessionEvent&) {}
    /// Something has happened to a lease, or to a wish for one; in order for each.
    virtual void on_lease(const LeaseTrace&) {}
    /// What is open is not what it was. Looked at with each heartbeat, so several times in a session timeout, and at its end.
    virtual void on_load(const ClientLoad&) {}
    /// What an operator should know of and no error tells, once: a server without containers, other locks at a lock's path.
    virtual void on_warning(std::string_view) {}
};

} // namespace docent
