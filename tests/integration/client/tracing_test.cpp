// SPDX-License-Identifier: Apache-2.0
#include "clients.hpp"
#include "eventually.hpp"
#include "heard.hpp"
#include "servers/any_server.hpp"

#include <docent/client.hpp>
#include <docent/recipes/inter_process_mutex.hpp>
#include <docent/recipes/inter_process_read_write_lock.hpp>
#include <docent/testing/fault_proxy.hpp>
#include <docent/tracing/counting_tracer.hpp>

#include <gtest/gtest.h>

#include <atomic>

namespace docent {
namespace {

using namespace std::chrono_literals;
using docent::testing::FaultProxy;
using docent::testing::Opcode;

struct RecordingTracer final : Tracer {
    struct Record {
        std::string name;
        std::string path;
        OperationTrace trace;
    };
    void on_operation(const OperationTrace& trace) override {
        records.add({std::string(trace.name), std::string(trace.path), trace});
    }
    void on_session_event(const SessionEvent& event) override { states.add(event.state); }

    test::Heard<Record> records;
    test::Heard<SessionState> states;
};

class TracingTest : public ::testing::Test {
protected:
    docent::test::AnyServer server;
    FaultProxy proxy{server.port()};
    std::shared_ptr<RecordingTracer> tracer = std::make_shared<RecordingTracer>();
    std::optional<Client> client{std::in_place, ClientConfig{.connect_string = proxy.connect_string(),
                                                             .retry_policy = RetryPolicy::n_times(5, 10ms),
                                                             .ensemble_tracking = EnsembleTracking::off,
                                                             .tracer = tracer}};

    void SetUp() override { client->start(); }

    /// Closes the client and returns the traced calls.
    std::vector<RecordingTracer::Record> records() {
        client.reset();
        return tracer->records.all();
    }
};

TEST_F(TracingTest, EachOperationIsToldOnce) {
    client->create("/a", "12345");
    client->get("/a");
    error_code ec;
    client->in_namespace("ns").get("/none", ec);
    client->set("/a", "x", {.version = 7}, ec);
    client->commit(Transaction().check("/a").remove("/a"));
    client->get("bad", ec);
    const auto seen = records();
    ASSERT_EQ(seen.size(), 6u);
    EXPECT_EQ(seen[0].name, "create");
    EXPECT_EQ(seen[0].path, "/a");
    EXPECT_EQ(seen[0].trace.requests, 1);
    EXPECT_EQ(seen[0].trace.retries, 0);
    EXPECT_GT(seen[0].trace.request_bytes, 5u);
    EXPECT_GT(seen[0].trace.latency, 0ns);
    EXPECT_EQ(seen[0].trace.ec, error_code{});
    EXPECT_EQ(seen[1].name, "get");
    EXPECT_GT(seen[1].trace.response_bytes, 5u + 68u) << "data and stat";
    EXPECT_EQ(seen[2].path, "/none") << "as the caller gave it";
    EXPECT_EQ(seen[2].trace.ec, server_error::no_node);
    EXPECT_EQ(seen[3].trace.ec, server_error::bad_version);
    EXPECT_EQ(seen[4].name, "commit");
    EXPECT_EQ(seen[4].path, "/a");
    EXPECT_EQ(seen[5].trace.ec, error::invalid_path);
    EXPECT_EQ(seen[5].trace.requests, 0) << "it was not sent";
    EXPECT_EQ(seen[5].trace.request_bytes + seen[5].trace.response_bytes, 0u);
}

TEST_F(TracingTest, RetriesAreCounted) {
    client->wait_connected();
    proxy.cut_before_reply(Opcode::exists);
    proxy.cut_before_request(Opcode::exists);
    client->exists("/");
    client->exists("/");
    const auto seen = records();
    ASSERT_EQ(seen.size(), 2u) << "waiting for the connection is no operation";
    EXPECT_EQ(seen[0].trace.requests, 3);
    EXPECT_EQ(seen[0].trace.retries, 2);
    EXPECT_EQ(seen[0].trace.ec, error_code{});
    EXPECT_EQ(seen[0].trace.request_bytes, 3 * seen[1].trace.request_bytes);
    EXPECT_EQ(seen[0].trace.response_bytes, seen[1].trace.response_bytes) << "only one was answered";
}

TEST_F(TracingTest, LocksAreOperationsToo) {
    {
        InterProcessMutex mutex(*client, "/lock");
        Lease lease = mutex.acquire();
        lease.release();
    }
    const auto seen = records();
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].name, "acquire");
    EXPECT_EQ(seen[0].path, "/lock");
    EXPECT_GE(seen[0].trace.requests, 2);
    EXPECT_EQ(seen[0].trace.retries, 0) << "a missing parent is an answer";
    EXPECT_EQ(seen[1].name, "release");
    EXPECT_EQ(seen[1].trace.requests, 1) << "the removal of the node";
    EXPECT_GT(seen[1].trace.request_bytes, std::string("/lock/_c_").size());
    EXPECT_GT(seen[1].trace.response_bytes, 0u);
}

TEST_F(TracingTest, DowngradesCountTheirOwnRequestsAndRetryAsTheyAreTold) {
    {
        InterProcessReadWriteLock lock(*client, "/lock");
        Lease write = lock.write_lock().acquire({.retry_policy = RetryPolicy::n_times(9, 1ms)});
        proxy.cut_before_reply(Opcode::multi);
        error_code ec;
        Lease read = write.downgrade(ec, {.retry_policy = RetryPolicy::none()});
        EXPECT_EQ(ec, condition::outcome_unknown) << "it was not to be tried again";
        EXPECT_FALSE(read);
        client->wait_connected();
        read = write.downgrade();
        EXPECT_TRUE(read);
        read.release();
    }
    const auto seen = records();
    ASSERT_EQ(seen.size(), 4u);
    EXPECT_EQ(seen[1].name, "downgrade");
    EXPECT_EQ(seen[1].trace.requests, 1);
    EXPECT_EQ(seen[1].trace.retries, 0);
    EXPECT_EQ(seen[2].trace.requests, 1);
    EXPECT_GT(seen[2].trace.response_bytes, 0u);
    EXPECT_EQ(seen[3].name, "release");
    EXPECT_EQ(seen[3].trace.requests, 1);
}

TEST_F(TracingTest, CallsThatSentNothingAreTracedToo) {
    client->close();
    error_code ec;
    client->get("/a", ec);
    const auto seen = records();
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].trace.ec, error::closed);
}

TEST_F(TracingTest, SessionEventsAreTold) {
    client->wait_connected();
    client->renew_session();
    SessionWatcher session(*client);
    while (session.until(SessionState::connected).epoch < 2) {
    }
    client.reset();
    const auto states = tracer->states.all();
    const std::vector<SessionState> expected{SessionState::connected, SessionState::lost, SessionState::connected,
                                             SessionState::closed};
    EXPECT_EQ(states, expected);
}

/// The tracer is slow. The close waits for it, up to a limit.
TEST(SlowTracer, HasHeardAllWhenCloseReturns) {
    struct Slow final : Tracer {
        void on_session_event(const SessionEvent& event) override {
            if (event.state != SessionState::closed) return;
            test::eventually([this] { return close_has_returned.load(); }, 300ms);
            has_heard = true;
        }
        std::atomic<bool> close_has_returned = false;
        std::atomic<bool> has_heard = false;
    };
    const auto tracer = std::make_shared<Slow>();
    const test::AnyServer server;
    Client client = started({.connect_string = server.connect_string(), .tracer = tracer});
    client.wait_connected();
    client.close();
    EXPECT_TRUE(tracer->has_heard);
    tracer->close_has_returned = true;
}

} // namespace
} // namespace docent
