// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/tracer_group.hpp>

#include <utility>

namespace docent {

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
