// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "servers/pooled_server.hpp"
#include "session_watcher.hpp"

#include <docent/docent.hpp>
#include <docent/testing/fault_proxy.hpp>

#include <gtest/gtest.h>

#include <thread>

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
    /// Waits until so many nodes stand in the queue.
    bool queue_reaches(std::size_t length) {
        for (;;) {
            error_code ec;
            auto watched = other.children_watched("/locks/job", ec);
            if (ec && ec != server_error::no_node) return false;
            if (watched.value.names.size() == length) return true;
            if (ec) std::this_thread::yield();
            else watched.watch.wait(ec, {.timeout = generous});
            if (ec && ec != server_error::no_node) return false;
        }
    }
};

} // namespace docent
