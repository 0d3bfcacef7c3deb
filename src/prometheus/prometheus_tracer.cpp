// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/prometheus_tracer.hpp>

#include <boost/asio/error.hpp>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace docent {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Labels = std::map<std::string, std::string>;
using std::chrono::steady_clock;

double seconds(std::chrono::nanoseconds length) {
    return std::chrono::duration<double>(length).count();
}

std::string_view outcome_of_wait(const LeaseTrace& trace) {
    if (trace.event == LeaseEvent::granted) return "granted";
    if (trace.ec == error::not_acquired) return "not_acquired";
    return trace.ec == boost::asio::error::operation_aborted ? "aborted" : "failed";
}

std::string_view reason_of_loss(error_code ec) {
    if (ec == server_error::no_node) return "node_deleted";
    if (ec == error::not_connected) return "connection";
    return ec == error::closed ? "closed" : "session";
}

/// The error's message, as a label. Leaves out the size in `reply_too_large`: each different text would begin a new series.
std::string result_of(const error_code& ec) {
    if (ec == error::reply_too_large) return make_error_code(error::reply_too_large).message();
    return ec ? ec.message() : "ok";
}

std::vector<double> checked(std::vector<double> buckets) {
    if (std::adjacent_find(buckets.begin(), buckets.end(), std::greater_equal<>()) != buckets.end()) {
        throw Error(error::invalid_config, "PrometheusTracer: the ends of buckets must increase");
    }
    return buckets;
}

std::shared_ptr<prometheus::Registry> checked(std::shared_ptr<prometheus::Registry> registry) {
    if (!registry) throw Error(error::invalid_config, "PrometheusTracer: no registry");
    return registry;
}

Labels with(Labels labels, const char* name, std::string_view value) {
    labels.emplace(name, value);
    return labels;
}

template <typename Builder>
auto& family(Builder builder, prometheus::Registry& registry, const char* name, const char* help) try {
    return builder.Name(name).Help(help).Register(registry);
} catch (const std::exception& failure) {
    throw Error(error::invalid_config, std::string("PrometheusTracer: ") + name + ": " + failure.what());
}

} // namespace

struct PrometheusTracer::Series {
    Series(std::shared_ptr<prometheus::Registry> kept, PrometheusTracerOptions given) try
        : registry(checked(std::move(kept))), options(std::move(given)), lease_buckets(checked(options.lease_buckets)),
          operation_buckets(checked(options.operation_buckets)) {
        for (const auto state : states) state_of(state).Set(0);
    } catch (const std::invalid_argument& failure) {
        throw Error(error::invalid_config, std::string("PrometheusTracer: labels: ") + failure.what());
    }

    static constexpr std::array states{SessionState::connecting, SessionState::connected, SessionState::suspended,
                                       SessionState::lost, SessionState::closed};

    Family<Histogram>& histogram(const char* name, const char* help) {
        return family(prometheus::BuildHistogram(), *registry, name, help);
    }
    Family<Counter>& counter(const char* name, const char* help) {
        return family(prometheus::BuildCounter(), *registry, name, help);
    }
    Family<Gauge>& gauge(const char* name, const char* help) { return family(prometheus::BuildGauge(), *registry, name, help); }

    /// Adds the labels of the options to those of a series. As labels of the family, the registry would refuse them from a
    /// second tracer.
    Labels all(Labels labels) const {
        labels.insert(options.labels.begin(), options.labels.end());
        return labels;
    }
    Gauge& state_of(SessionState state) { return session_state.Add(all({{"state", std::string(to_string(state))}})); }
    Labels labels_of(const LeaseTrace& trace) const {
        const bool by_path = trace.label.empty() && options.paths_as_labels;
        return all({{"lock", std::string(by_path ? trace.path : trace.label)}, {"kind", std::string(to_string(trace.kind))}});
    }
    /// A presumed loss, and the server's report of it later, count as one loss.
    void on_session(SessionState state) {
        const std::lock_guard lock(mutex);
        const auto before = std::exchange(last_state, state);
        if (state == SessionState::lost && before != SessionState::lost) losses.Increment();
        if (state == SessionState::suspended) { // measure the time without a connection, from its break until it is back
            if (!silent_since) silent_since = steady_clock::now();
        } else if (const auto since = std::exchange(silent_since, std::nullopt)) {
            session_silence.Add(all({}), operation_buckets).Observe(seconds(steady_clock::now() - *since));
        }
    }

    /// Makes the series of the alerts, with the value 0, at a lock's first request. Prometheus sees no increase where a series
    /// begins, so otherwise the first loss, or a first wait without an end, would cause no alert.
    void begin_lock(const Labels& labels) {
        const std::lock_guard lock(mutex);
        if (!begun.insert(labels).second) return;
        lease_wait.Add(with(labels, "outcome", "granted"), lease_buckets);
        for (const char* reason : {"session", "node_deleted", "connection", "closed"})
            leases_lost.Add(with(labels, "reason", reason));
        revocation_requests.Add(labels);
    }

    const std::shared_ptr<prometheus::Registry> registry;
    const PrometheusTracerOptions options;
    const std::vector<double> lease_buckets;
    const std::vector<double> operation_buckets;

    Family<Histogram>& lease_wait = histogram("docent_lease_wait_seconds", "From the request of a lease to its answer");
    Family<Histogram>& lease_hold = histogram("docent_lease_hold_seconds", "From the grant of a lease to its end");
    Family<Histogram>& lease_margin =
        histogram("docent_lease_margin_seconds", "For how long a lease was still certain when it was released");
    Family<Gauge>& leases_waiting = gauge("docent_leases_waiting", "Requests for leases without an answer");
    Family<Gauge>& leases_held = gauge("docent_leases_held", "Leases that are held");
    Family<Counter>& leases_lost = counter("docent_leases_lost_total", "Leases that were lost");
    Family<Counter>& revocation_requests =
        counter("docent_lease_revocation_requests_total", "Holders that somebody has asked for their lock");
    Family<Histogram>& operation = histogram("docent_operation_seconds", "From the call of an operation to its completion");
    Family<Counter>& requests = counter("docent_operation_requests_total", "Requests that operations have sent");
    Family<Counter>& retries = counter("docent_operation_retries_total", "Further tries of operations");
    Family<Counter>& request_bytes = counter("docent_operation_request_bytes_total", "Bytes of the requests of operations");
    Family<Counter>& response_bytes = counter("docent_operation_response_bytes_total", "Bytes of the replies to operations");
    Family<Gauge>& session_state = gauge("docent_session_state", "1 for the state that the session is in");
    Family<Counter>& session_losses = counter("docent_session_losses_total", "Losses of the session, certain or presumed");
    Family<Histogram>& session_silence =
        histogram("docent_session_silence_seconds", "From a break of the connection to the next one, or the session's loss");
    Counter& losses = session_losses.Add(all({}));
    Gauge& pending_removals = gauge("docent_pending_removals", "Nodes that the client still has to remove").Add(all({}));
    Gauge& watches = gauge("docent_watches", "Watches that the server keeps for the client").Add(all({}));

    std::mutex mutex;
    SessionState last_state = SessionState::connecting;
    std::optional<steady_clock::time_point> silent_since;
    std::set<Labels> begun; // locks that were asked for
};

PrometheusTracer::PrometheusTracer(std::shared_ptr<prometheus::Registry> registry, PrometheusTracerOptions options)
    : series_(std::make_unique<Series>(std::move(registry), std::move(options))) {}

PrometheusTracer::~PrometheusTracer() = default;

void PrometheusTracer::on_operation(const OperationTrace& trace) noexcept try {
    const std::string name(trace.name);
    const Labels by_name = series_->all({{"operation", name}});
    const Labels by_result = series_->all({{"operation", name}, {"result", result_of(trace.ec)}});
    series_->operation.Add(by_result, series_->operation_buckets).Observe(seconds(trace.latency));
    series_->requests.Add(by_name).Increment(trace.requests);
    series_->retries.Add(by_name).Increment(trace.retries);
    series_->request_bytes.Add(by_name).Increment(static_cast<double>(trace.request_bytes));
    series_->response_bytes.Add(by_name).Increment(static_cast<double>(trace.response_bytes));
} catch (...) { // NOLINT(bugprone-empty-catch): a client goes on without its metrics
}

void PrometheusTracer::on_session_event(const SessionEvent& event) noexcept try {
    for (const auto state : Series::states) series_->state_of(state).Set(state == event.state ? 1 : 0);
    series_->on_session(event.state);
} catch (...) { // NOLINT(bugprone-empty-catch)
}

void PrometheusTracer::on_load(const ClientLoad& load) noexcept {
    series_->pending_removals.Set(static_cast<double>(load.pending_removals));
    series_->watches.Set(static_cast<double>(load.watches));
}

void PrometheusTracer::on_lease(const LeaseTrace& trace) noexcept try {
    const Labels labels = series_->labels_of(trace);
    switch (trace.event) {
    case LeaseEvent::requested:
        series_->begin_lock(labels);
        series_->leases_waiting.Add(labels).Increment();
        break;
    case LeaseEvent::granted: series_->leases_held.Add(labels).Increment(); [[fallthrough]];
    case LeaseEvent::refused:
        series_->leases_waiting.Add(labels).Decrement();
        series_->lease_wait.Add(with(labels, "outcome", outcome_of_wait(trace)), series_->lease_buckets)
            .Observe(seconds(trace.waited));
        break;
    case LeaseEvent::revocation_request: series_->revocation_requests.Add(labels).Increment(); break;
    case LeaseEvent::lost:
        series_->leases_lost.Add(with(labels, "reason", reason_of_loss(trace.ec))).Increment();
        [[fallthrough]];
    case LeaseEvent::released:
    case LeaseEvent::expired:
        series_->leases_held.Add(labels).Decrement();
        series_->lease_hold.Add(with(labels, "outcome", to_string(trace.event)), series_->lease_buckets)
            .Observe(seconds(trace.held));
        if (trace.event == LeaseEvent::released) {
            series_->lease_margin.Add(labels, series_->lease_buckets).Observe(seconds(trace.margin));
        }
        break;
    }
} catch (...) { // NOLINT(bugprone-empty-catch)
}

} // namespace docent
