// SPDX-License-Identifier: Apache-2.0
// A user's program with a tracer for Prometheus. It needs no server.
#include <docent/tracing/prometheus_tracer.hpp>

#include <prometheus/registry.h>

#include <iostream>
#include <memory>

int main() {
    const auto registry = std::make_shared<prometheus::Registry>();
    docent::PrometheusTracer tracer{registry};
    tracer.on_session_event({docent::SessionState::connected, 1, 0xa, {}});
    for (const auto& family : registry->Collect()) {
        if (family.name == "docent_session_state") std::cout << family.name << ": " << family.metric.size() << " states\n";
    }
}
