// SPDX-License-Identifier: Apache-2.0

#include <docent/tracing/counting_tracer.hpp>
#include <docent/tracing/tracer_group.hpp>

#include <algorithm>
#include <utility>

namespace docent {
namespace {

void add(OperationCounts& counts, const OperationTrace& trace) {
    ++counts.calls;
    if (trace.ec) ++counts.failures;
    counts.requests += static_cast<std::uint64_t>(trace.requests);
    counts.retries += static_cast<std::uint64_t>(trace.retries);
    counts.request_bytes += trace.request_bytes;
    counts.response_bytes += trace.response_bytes;
    counts.total_latency += trace.latency;
    counts.max_latency = std::max(counts.max_latency, trace.latency);
}

} // namespace

void CountingTracer::on_operation(const OperationTrace& trace) {
    const std::scoped_lock lock(mutex_);
    auto found = counts_.operations.find(trace.name);
    if (found == counts_.operations.end()) found = counts_.operations.try_emplace(std::string(trace.name)).first;
    add(found->second, trace);
}

void CountingTracer::on_session_event(const SessionEvent& event) {
    const std::scoped_lock lock(mutex_);
    ++counts_.session_events[event.state];
}

void CountingTracer::on_lease(const LeaseTrace& trace) {
    const std::scoped_lock lock(mutex_);
    ++counts_.lease_events[trace.event];
}

TraceCounts CountingTracer::snapshot() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

TracerGroup::TracerGroup(std::vector<std::shared_ptr<Tracer>> tracers) : tracers_(std::move(tracers)) {
    std::erase(tracers_, nullptr);
}

void TracerGroup::on_operation(const OperationTrace& trace) {
    for (const auto& each : tracers_) each->on_operation(trace);
}

void TracerGroup::on_session_event(const SessionEvent& event) {
    for (const auto& each : tracers_) each->on_session_event(event);
}

void TracerGroup::on_lease(const LeaseTrace& trace) {
    for (const auto& each : tracers_) each->on_lease(trace);
}

void TracerGroup::on_load(const ClientLoad& load) {
    for (const auto& each : tracers_) each->on_load(load);
}

void TracerGroup::on_warning(std::string_view text) {
    for (const auto& each : tracers_) each->on_warning(text);
}

} // namespace docent
