// SPDX-License-Identifier: Apache-2.0
// A program whose locks Prometheus sees: what docs/how-to/monitoring.md shows.
#include <docent/docent.hpp>
#include <docent/testing/testing_server.hpp>
#include <docent/tracing/prometheus_tracer.hpp>

#include <prometheus/exposer.h>
#include <prometheus/registry.h>

#include <iostream>
#include <string>

int main() {
    const docent::testing::TestingServer server;
    const std::string servers = server.connect_string(),
                      address = "127.0.0.1:0";
    // [metrics]
    auto registry = std::make_shared<prometheus::Registry>();
    prometheus::Exposer exposer{address}; // such as "0.0.0.0:9464"
    exposer.RegisterCollectable(registry);

    auto tracer = std::make_shared<docent::PrometheusTracer>(registry);
    docent::Client client{{.connect_string = servers, .tracer = tracer}};
    client.start();
    docent::InterProcessMutex mutex(client, "/app/nightly",
                                    {.label = "nightly"});
    docent::Lease lease = mutex.acquire();
    // [metrics]
    lease.release();
    client.close(); // the tracer has all events now
    for (const auto& family : registry->Collect()) {
        if (family.name != "docent_lease_hold_seconds") continue;
        const auto holds = family.metric.at(0).histogram.sample_count;
        std::cout << family.name << ": " << holds << '\n';
        return holds == 1 ? 0 : 1;
    }
    return 1;
}
