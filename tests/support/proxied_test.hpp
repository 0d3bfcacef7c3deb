// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servers/pooled_server.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace docent {

/// A server, a client behind a network that can be made to misbehave, and another one that it does not concern. Neither follows
/// the ensemble, so that what goes through the proxy, and what the server counts, is the test's own.
class ProxiedTest : public ::testing::Test {
protected:
    docent::test::PooledServer server;
    docent::testing::FaultProxy proxy{server.port()};
    Client client{{.connect_string = proxy.connect_string(),
                   .retry_policy = RetryPolicy::n_times(10, std::chrono::milliseconds{10}),
                   .ensemble_tracking = EnsembleTracking::off}};
    Client other{{.connect_string = server.connect_string(), .ensemble_tracking = EnsembleTracking::off}};

    void SetUp() override {
        for (Client* each : {&client, &other}) {
            each->start();
            each->wait_connected();
        }
    }
};

} // namespace docent
