// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace docent {

/// A server, a client behind a FaultProxy, and another client without one. The clients do not track the ensemble, so all
/// requests at the proxy and the server are the test's.
class ProxiedTest : public ::testing::Test {
protected:
    enum class Sessions {
        usual,
        outlast_restarts, // a restart of the server takes seconds, and more on a busy machine
        soon_lost         // two seconds, on a server with the shortest ticks with which it still works well
    };

    explicit ProxiedTest(Sessions sessions = Sessions::usual)
        : server(options_for(sessions)), client(config_for(proxy.connect_string(), sessions)),
          other(config_for(server.connect_string(), sessions)) {}

    docent::test::AnyServer server;
    docent::testing::FaultProxy proxy{server.port()};
    Client client;
    Client other;

    void SetUp() override {
        for (Client* each : {&client, &other}) {
            each->start();
            each->wait_connected();
        }
    }

private:
    static docent::test::AnyServerOptions options_for(Sessions sessions) {
        docent::test::AnyServerOptions options;
        if (sessions == Sessions::outlast_restarts) options.max_session_timeout = std::chrono::seconds{60};
        if (sessions == Sessions::soon_lost) options.tick_time = std::chrono::milliseconds{100};
        return options;
    }
    static ClientConfig config_for(const std::string& connect_string, Sessions sessions) {
        ClientConfig config{.connect_string = connect_string,
                            .retry_policy = RetryPolicy::n_times(10, std::chrono::milliseconds{10}),
                            .ensemble_tracking = EnsembleTracking::off};
        if (sessions == Sessions::outlast_restarts) {
            config.session_timeout = std::chrono::seconds{60};
            config.connection_timeout = std::chrono::seconds{60};
        }
        if (sessions == Sessions::soon_lost) config.session_timeout = std::chrono::seconds{2};
        return config;
    }
};

} // namespace docent
