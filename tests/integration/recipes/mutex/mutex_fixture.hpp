// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "eventually.hpp"
#include "servers/pooled_server.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

namespace docent {

using namespace std::chrono_literals;
using docent::test::PooledServer;
using docent::testing::FaultProxy;

class MutexTest : public ::testing::Test {
protected:
    PooledServer server{{.tick_time = 100ms}};
    FaultProxy proxy{server.port()};
    Client client{
        {.connect_string = proxy.connect_string(), .session_timeout = 2s, .retry_policy = RetryPolicy::n_times(10, 10ms)}};
    Client other{{.connect_string = server.connect_string(), .session_timeout = 2s}};
    InterProcessMutex mutex{client, "/locks/job"};
    InterProcessMutex contender{other, "/locks/job"};

    void SetUp() override {
        client.start();
        other.start();
        client.wait_connected();
        other.wait_connected();
    }

    std::vector<std::string> nodes() {
        error_code ec;
        other.sync("/locks/job", ec);
        return other.children("/locks/job", ec).names;
    }
    /// Waits until the queue has `length` nodes, also across the loss of a connection or a session.
    bool queue_reaches(std::size_t length) {
        return test::eventually([&] {
            error_code ec;
            other.sync("/locks/job", ec);
            const auto children = other.children("/locks/job", ec);
            return (!ec || ec == server_error::no_node) && children.names.size() == length;
        });
    }
};

} // namespace docent
