// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

/// The namespace of prometheus-cpp.
namespace prometheus {
class Registry;
}

namespace docent {

/// Options of a PrometheusTracer.
/// ```cpp
/// docent::PrometheusTracerOptions options{.labels = {{"client", "billing"}}};
/// ```
/// @ingroup tracing
struct PrometheusTracerOptions {
    /// Labels for every series of the tracer, for example to distinguish the clients of a program.
    std::map<std::string, std::string> labels = {};
    /// Whether the label `lock` is the path of the lock if `LockOptions::label` is empty.
    ///
    /// For programs with few locks: each path creates new series, which exist as long as the registry.
    bool paths_as_labels = false;
    /// The upper limits of buckets for waits, holds and margins, in seconds, in increasing order.
    std::vector<double> lease_buckets = {.001, .0025, .005, .01, .025, .05, .1,  .25,  .5,
                                         1,    2.5,   5,    10,  30,   60,  300, 1800, 7200};
    /// The upper limits of buckets for operations and silence, in seconds, in increasing order.
    std::vector<double> operation_buckets = {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30};
};

/// Counts events in a registry of prometheus-cpp, for a program's `/metrics`. Link with `docent::prometheus`.
/// ```cpp
/// std::shared_ptr<prometheus::Registry> registry; // of the program's Exposer
/// docent::PrometheusTracerOptions options{.labels = {{"client", "billing"}}};
/// auto tracer = std::make_shared<docent::PrometheusTracer>(registry, options);
/// docent::Client counted{{.tracer = tracer}};
/// ```
/// Use one tracer for each client, because clients would overwrite each other's session gauges. Tracers may share a registry
/// if their `labels` differ.
///
/// Leases, with the labels `lock` and `kind`:
/// - `docent_lease_wait_seconds` (histogram, `outcome`): from request to answer; `granted`, `not_acquired`, `aborted`,
///   `failed`;
/// - `docent_lease_hold_seconds` (histogram, `outcome`): from grant to end; `released`, `lost`, `expired`;
/// - `docent_lease_margin_seconds` (histogram): LeaseTrace::margin at the release;
/// - `docent_leases_waiting`, `docent_leases_held` (gauges);
/// - `docent_leases_lost_total` (counter, `reason`): `session`, `node_deleted`, `connection`, `closed`;
/// - `docent_lease_revocation_requests_total` (counter): requests of other clients to release a lock.
///
/// Operations, with the label `operation`:
/// - `docent_operation_seconds` (histogram, `result`): `ok` or the error's message;
/// - `docent_operation_requests_total`, `docent_operation_retries_total`, `docent_operation_request_bytes_total`,
///   `docent_operation_response_bytes_total` (counters).
///
/// The session:
/// - `docent_session_state` (gauge, `state`): 1 for the present state, 0 for the others;
/// - `docent_session_losses_total` (counter);
/// - `docent_pending_removals`, `docent_watches` (gauges): ClientLoad at the last heartbeat;
/// - `docent_session_silence_seconds` (histogram): from a break of the connection to the next connection, or to the loss of the
///   session.
///
/// - Thread safety: any thread may call all members. Cost: a look-up under a mutex for each event.
/// - Errors: none. If there is no memory to count an event, the tracer ignores the event.
/// - Lifetime: the tracer shares the ownership of the registry.
/// @ingroup tracing
class DOCENT_EXPORT PrometheusTracer final : public Tracer {
public:
    /// Makes a tracer that counts in `registry`.
    ///
    /// Errors: throws docent::Error with `error::invalid_config` in these cases:
    /// - `registry` is null;
    /// - buckets do not increase;
    /// - a label has a name that Prometheus refuses;
    /// - the registry has a metric of another kind under one of the names above.
    explicit PrometheusTracer(std::shared_ptr<prometheus::Registry> registry, PrometheusTracerOptions options = {});
    /// Keeps the counts in the registry.
    ~PrometheusTracer() override;

    /// Counts the operation.
    void on_operation(const OperationTrace& trace) noexcept override;
    /// Counts the session event and sets the session gauges.
    void on_session_event(const SessionEvent& event) noexcept override;
    /// Counts the lease event.
    void on_lease(const LeaseTrace& trace) noexcept override;
    /// Sets the gauges of removals and watches.
    void on_load(const ClientLoad& load) noexcept override;

private:
    struct Series;
    std::unique_ptr<Series> series_;
};

} // namespace docent
