// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/counting_tracer.hpp>
#include <docent/tracing/tracer_group.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace docent {
namespace {

using namespace std::chrono_literals;

TEST(CountingTracer, StartsWithNothing) {
    EXPECT_EQ(CountingTracer{}.snapshot(), TraceCounts{});
}

TEST(CountingTracer, AddsUpTheOperationsOfOneName) {
    CountingTracer tracer;
    tracer.on_operation({"get", "/a", 3ms, 2, 10, 1, 0, {}});
    tracer.on_operation({"get", "/b", 5ms, 6, 0, 3, 2, server_error::no_node});
    tracer.on_operation({"get", "/c", 1ms, 2, 7, 1, 0, {}});
    const OperationCounts expected{.calls = 3,
                                   .failures = 1,
                                   .requests = 5,
                                   .retries = 2,
                                   .request_bytes = 10,
                                   .response_bytes = 17,
                                   .total_latency = 9ms,
                                   .max_latency = 5ms};
    EXPECT_EQ(tracer.snapshot().operations.at("get"), expected);
}

TEST(CountingTracer, KeepsNamesApart) {
    CountingTracer tracer;
    tracer.on_operation({"get", "/a", 3ms, 2, 10, 1, 0, {}});
    tracer.on_operation({"create", "/a", 5ms, 6, 0, 1, 0, {}});
    const TraceCounts counts = tracer.snapshot();
    ASSERT_EQ(counts.operations.size(), 2u);
    EXPECT_EQ(counts.operations.at("get").calls, 1u);
    EXPECT_EQ(counts.operations.at("create").max_latency, 5ms);
}

TEST(CountingTracer, KeepsANameThatIsGone) {
    CountingTracer tracer;
    {
        const std::string name(100, 'n');
        tracer.on_operation({name, "/a", 1ms, 0, 0, 1, 0, {}});
    }
    EXPECT_EQ(tracer.snapshot().operations.begin()->first, std::string(100, 'n'));
}

TEST(CountingTracer, CountsSessionEventsByState) {
    CountingTracer tracer;
    tracer.on_session_event({SessionState::connected, 1, 0xa, {}});
    tracer.on_session_event({SessionState::suspended, 1, 0xa, {}});
    tracer.on_session_event({SessionState::connected, 1, 0xa, {}});
    EXPECT_EQ(tracer.snapshot().session_events,
              (std::map<SessionState, std::uint64_t>{{SessionState::connected, 2}, {SessionState::suspended, 1}}));
}

TEST(CountingTracer, ASnapshotStaysAsItIs) {
    CountingTracer tracer;
    const TraceCounts before = tracer.snapshot();
    tracer.on_operation({"get", "/a", 1ms, 0, 0, 1, 0, {}});
    EXPECT_TRUE(before.operations.empty());
}

TEST(CountingTracer, SeveralClientsMayShareIt) {
    CountingTracer tracer;
    {
        std::vector<std::jthread> clients;
        for (int i = 0; i < 4; ++i) {
            clients.emplace_back([&tracer] {
                for (int n = 0; n < 5000; ++n) {
                    tracer.on_operation({"get", "/a", 1us, 1, 0, 1, 0, {}});
                    tracer.on_session_event({SessionState::connected, 1, 0xa, {}});
                }
            });
        }
        for (int n = 0; n < 100; ++n) {
            const TraceCounts counts = tracer.snapshot();
            for (const auto& [name, sum] : counts.operations) ASSERT_EQ(sum.calls, sum.request_bytes) << "of one moment";
        }
    }
    EXPECT_EQ(tracer.snapshot().operations.at("get").calls, 20000u);
    EXPECT_EQ(tracer.snapshot().session_events.at(SessionState::connected), 20000u);
}

struct WritingTracer : Tracer {
    WritingTracer(std::string its_name, std::string& its_text) : name(std::move(its_name)), text(its_text) {}
    void on_operation(const OperationTrace& trace) override { text += name + " operation " + std::string(trace.name) + "\n"; }
    void on_session_event(const SessionEvent& event) override {
        text += name + " session " + std::to_string(event.epoch) + "\n";
    }
    void on_lease(const LeaseTrace& trace) override { text += name + " lease " + std::string(trace.label) + "\n"; }
    void on_load(const ClientLoad& load) override { text += name + " load " + std::to_string(load.watches) + "\n"; }
    void on_warning(std::string_view warning) override { text += name + " warning " + std::string(warning) + "\n"; }

    std::string name;
    std::string& text;
};

TEST(TracerGroup, EachHearsOfAllInTurn) {
    std::string text;
    TracerGroup group({std::make_shared<WritingTracer>("a", text), nullptr, std::make_shared<WritingTracer>("b", text)});
    OperationTrace operation;
    operation.name = "get";
    group.on_operation(operation);
    SessionEvent event;
    event.epoch = 7;
    group.on_session_event(event);
    LeaseTrace lease;
    lease.label = "nightly";
    group.on_lease(lease);
    group.on_load({.watches = 3});
    group.on_warning("odd");
    EXPECT_EQ(text, "a operation get\nb operation get\na session 7\nb session 7\na lease nightly\nb lease nightly\n"
                    "a load 3\nb load 3\na warning odd\nb warning odd\n");
}

} // namespace
} // namespace docent
