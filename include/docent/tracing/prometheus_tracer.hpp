// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace prometheus {
class Registry;
}

namespace docent {

/// How a PrometheusTracer shows what it hears.
struct PrometheusTracerOptions {
    /// On each of its series, beside what is named below: what tells apart the clients of a program, say.
    std::map<std::string, std::string> labels = {};
    /// The label `lock` of a lock that has no `LockOptions::label` is its path. Every path makes series of its own, which stay
    /// for as long as the registry does: for programs with few locks.
    bool paths_as_labels = false;
    /// Upper ends of the histograms' buckets in seconds, increasing; of waiting, holding and margins.
    std::vector<double> lease_buckets = {.001, .0025, .005, .01, .025, .05, .1,  .25,  .5,
                                         1,    2.5,   5,    10,  30,   60,  300, 1800, 7200};
    /// And of operations.
    std::vector<double> operation_buckets = {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30};
};

/// Counts what it hears in a registry of prometheus-cpp, for a program's `/metrics`. In docent::prometheus, a library of its
/// own. One for each client, or gauges of the session would mix; several may share a registry if their `labels` differ.
///
/// Of leases, each with the labels `lock` and `kind`:
/// - `docent_lease_wait_seconds` (histogram, `outcome`): from request to answer; `granted`, `not_acquired`, `aborted`,
/// `failed`;
/// - `docent_lease_hold_seconds` (histogram, `outcome`): from grant to end; `released`, `lost`, `expired`;
/// - `docent_lease_margin_seconds` (histogram): for how long a lease was still certain when it was released;
/// - `docent_leases_waiting`, `docent_leases_held` (gauges);
/// - `docent_leases_lost_total` (counter, `reason`): `session`, `node_deleted`, `connection`, `closed`;
/// - `docent_lease_revocation_requests_total` (counter): holders that somebody has asked for their lock.
///
/// Of operations, each with the label `operation`:
/// - `docent_operation_seconds` (histogram, `result`): `ok` or the error's message;
/// - `docent_operation_requests_total`, `docent_operation_retries_total`, `docent_operation_request_bytes_total`,
///   `docent_operation_response_bytes_total` (counters).
///
/// Of the session:
/// - `docent_session_state` (gauge, `state`): 1 for the state that it is in;
/// - `docent_session_losses_total` (counter);
/// - `docent_pending_removals`, `docent_watches` (gauges): what is open, as of the last heartbeat;
/// - `docent_session_silence_seconds` (histogram): from a break of the connection to the next one, or to the session's loss.
///
/// Threads: any. An event costs a look-up under a mutex. Errors: none; what cannot be counted for want of memory is left out.
/// Lifetime: the registry lives as long as the tracer.
class DOCENT_EXPORT PrometheusTracer final : public Tracer {
public:
    /// Throws Error(error::invalid_config) without a registry, for buckets that do not increase, for names of labels that
    /// Prometheus does not take, and where the registry has metrics of another kind under one of these names.
    explicit PrometheusTracer(std::shared_ptr<prometheus::Registry> registry, PrometheusTracerOptions options = {});
    ~PrometheusTracer() override;

    void on_operation(const OperationTrace& trace) noexcept override;
    void on_session_event(const SessionEvent& event) noexcept override;
    void on_lease(const LeaseTrace& trace) noexcept override;
    void on_load(const ClientLoad& load) noexcept override;

private:
    struct Series;
    std::unique_ptr<Series> series_;
};

} // namespace docent
