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

/// One finished operation of a client.
/// ```cpp
/// struct SlowCalls : docent::Tracer {
///     void on_operation(const docent::OperationTrace& trace) override {
///         if (trace.latency > 1s) slow.emplace_back(trace.path); // a copy
///     }
///     std::vector<std::string> slow;
/// };
/// ```
/// Lifetime: the texts are valid during the call of Tracer::on_operation. Copy them to keep them.
/// @ingroup tracing
struct OperationTrace {
    std::string_view name;               ///< The operation, from a small, fixed set: `create`, `get`, `acquire` and so on.
    std::string_view path;               ///< The path as the caller gave it; it may be invalid.
    std::chrono::nanoseconds latency{0}; ///< The time from the call to its completion, with waits, pauses and retries.
    std::size_t request_bytes = 0;       ///< The encoded size of all requests of the operation.
    std::size_t response_bytes = 0;      ///< The encoded size of all replies.
    int requests = 0;                    ///< The number of requests that were sent.
    int retries = 0;                     ///< The number of requests that repeated a failed one.
    error_code ec;                       ///< The error that the caller gets.
};

/// The open work of a client in addition to its operations.
/// ```cpp
/// struct Backlog : docent::Tracer {
///     void on_load(const docent::ClientLoad& load) override {
///         removals = load.pending_removals;
///     }
///     std::atomic<std::size_t> removals = 0;
/// };
/// ```
/// @ingroup tracing
struct ClientLoad {
    std::size_t pending_removals = 0; ///< Nodes that the client still has to remove: of old leases and failed attempts.
    std::size_t watches = 0;          ///< Watches that the server keeps for the client.
    /// Compares all fields.
    friend bool operator==(const ClientLoad&, const ClientLoad&) = default;
};

/// Receives the events of a client: finished operations, session events, lease events, warnings. Derive from it, override the
/// calls that you need, and set `ClientConfig::tracer`.
/// ```cpp
/// struct Warnings : docent::Tracer {
///     void on_warning(std::string_view text) override {
///         texts.emplace_back(text);
///     }
///     std::vector<std::string> texts;
/// };
/// docent::Client traced{{.tracer = std::make_shared<Warnings>()}};
/// ```
/// - Thread safety: a client makes one call at a time, on the executor that it was given or on its second thread. A call may
///   come before or after the handler of the same operation. If several clients share a tracer, calls overlap.
/// - A slow call delays later calls, and the other functions on its thread: for a client without an executor, all handlers and
///   listeners. Client::close() of such a client waits until the tracer has all events. Events that wait occupy memory.
/// - Errors: a call must not throw.
/// - Lifetime: the client shares the tracer, and may call it until the client is closed and destroyed.
/// @ingroup tracing
class DOCENT_EXPORT Tracer {
public:
    /// Makes a tracer that ignores all calls.
    Tracer() = default;
    /// Deleted: the object cannot be copied.
    Tracer(const Tracer&) = delete;
    /// Deleted: the object cannot be copied.
    Tracer& operator=(const Tracer&) = delete;
    /// Allows a destruction through the base class.
    virtual ~Tracer() = default;

    /// Called when an operation has completed, with or without an error.
    ///
    /// A wait for a connection, a watch, a session event or the loss of a lease is not an operation.
    virtual void on_operation(const OperationTrace&) {}
    /// Called for each event of the session, in order.
    virtual void on_session_event(const SessionEvent&) {}
    /// Called for each event of a lease or of a request for a lease. The events of one lease come in order.
    virtual void on_lease(const LeaseTrace&) {}
    /// Called when the open work has changed.
    ///
    /// The client compares at each heartbeat, several times in a session timeout, and at the end of a session.
    virtual void on_load(const ClientLoad&) {}
    /// Called once for each fact that an operator should know and that causes no error.
    ///
    /// Examples: the server has no containers; nodes of other locks are at a lock's path.
    virtual void on_warning(std::string_view) {}
};

} // namespace docent
