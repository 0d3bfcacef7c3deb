// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/prometheus_tracer.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <limits>
#include <sstream>

namespace docent {
namespace {

using namespace std::chrono_literals;

class PrometheusTracerTest : public ::testing::Test {
protected:
    /// The value of a series in the scraped text; -1 if there is none.
    double value(const std::string& series) const {
        std::istringstream text(prometheus::TextSerializer().Serialize(registry->Collect()));
        for (std::string line; std::getline(text, line);) {
            if (line.starts_with(series + ' ')) return std::stod(line.substr(series.size() + 1));
        }
        return -1;
    }
    void tell(LeaseEvent event, error_code ec = {}) {
        tracer.on_lease({.event = event,
                         .kind = LeaseKind::mutex,
                         .label = "nightly",
                         .path = "/lock",
                         .waited = 20ms,
                         .held = 40ms,
                         .margin = 2s,
                         .ec = ec});
    }
    void tell(SessionState state) { tracer.on_session_event({state, 1, 0xa, {}}); }

    std::shared_ptr<prometheus::Registry> registry = std::make_shared<prometheus::Registry>();
    PrometheusTracer tracer{registry};
    const std::string lock = R"({kind="mutex",lock="nightly"})";
};

std::string with(const std::string& rest) {
    return R"({kind="mutex",lock="nightly",)" + rest + "}";
}

TEST_F(PrometheusTracerTest, CountsALeaseFromItsRequestToItsEnd) {
    tell(LeaseEvent::requested);
    EXPECT_EQ(value("docent_leases_waiting" + lock), 1);
    EXPECT_EQ(value("docent_lease_wait_seconds_count" + with(R"(outcome="granted")")), 0)
        << "there, for an increase to be seen";
    for (const std::string reason : {"session", "node_deleted", "connection", "closed"})
        EXPECT_EQ(value("docent_leases_lost_total" + with("reason=\"" + reason + '"')), 0);
    EXPECT_EQ(value("docent_lease_revocation_requests_total" + lock), 0);
    tell(LeaseEvent::granted);
    EXPECT_EQ(value("docent_leases_waiting" + lock), 0);
    EXPECT_EQ(value("docent_leases_held" + lock), 1);
    EXPECT_EQ(value("docent_lease_wait_seconds_count" + with(R"(outcome="granted")")), 1);
    EXPECT_EQ(value("docent_lease_wait_seconds_sum" + with(R"(outcome="granted")")), 0.02);
    EXPECT_EQ(value("docent_lease_wait_seconds_bucket" + with(R"(outcome="granted",le="0.01")")), 0);
    EXPECT_EQ(value("docent_lease_wait_seconds_bucket" + with(R"(outcome="granted",le="0.025")")), 1);
    tell(LeaseEvent::revocation_request);
    EXPECT_EQ(value("docent_lease_revocation_requests_total" + lock), 1);
    tell(LeaseEvent::released);
    EXPECT_EQ(value("docent_leases_held" + lock), 0);
    EXPECT_EQ(value("docent_lease_hold_seconds_sum" + with(R"(outcome="released")")), 0.04);
    EXPECT_EQ(value("docent_lease_margin_seconds_sum" + lock), 2);
}

TEST_F(PrometheusTracerTest, TellsWhyThereWasNoLease) {
    const std::pair<error_code, const char*> outcomes[] = {{error::not_acquired, "not_acquired"},
                                                           {boost::asio::error::operation_aborted, "aborted"},
                                                           {server_error::no_auth, "failed"}};
    for (const auto& [ec, outcome] : outcomes) {
        tell(LeaseEvent::requested);
        tell(LeaseEvent::refused, ec);
        EXPECT_EQ(value("docent_lease_wait_seconds_count" + with("outcome=\"" + std::string(outcome) + '"')), 1);
    }
    EXPECT_EQ(value("docent_leases_waiting" + lock), 0);
    EXPECT_EQ(value("docent_leases_held" + lock), -1);
}

TEST_F(PrometheusTracerTest, TellsWhyALeaseWasLost) {
    const std::pair<error_code, const char*> reasons[] = {{server_error::session_expired, "session"},
                                                          {server_error::no_node, "node_deleted"},
                                                          {error::not_connected, "connection"},
                                                          {error::closed, "closed"}};
    for (const auto& [ec, reason] : reasons) {
        tell(LeaseEvent::requested);
        tell(LeaseEvent::granted);
        tell(LeaseEvent::lost, ec);
        EXPECT_EQ(value("docent_leases_lost_total" + with("reason=\"" + std::string(reason) + '"')), 1);
    }
    EXPECT_EQ(value("docent_lease_hold_seconds_count" + with(R"(outcome="lost")")), 4);
    EXPECT_EQ(value("docent_leases_held" + lock), 0);
    EXPECT_EQ(value("docent_lease_margin_seconds_count" + lock), -1);
}

TEST_F(PrometheusTracerTest, NamesALockByItsPathOnlyIfAsked) {
    const LeaseTrace trace{.event = LeaseEvent::requested, .kind = LeaseKind::permit, .path = "/a\"b"};
    tracer.on_lease(trace);
    EXPECT_EQ(value(R"(docent_leases_waiting{kind="permit",lock=""})"), 1);
    const auto other = std::make_shared<prometheus::Registry>();
    PrometheusTracer by_path(other, {.labels = {{"client", "jobs"}}, .paths_as_labels = true});
    by_path.on_lease(trace);
    registry = other;
    EXPECT_EQ(value(R"(docent_leases_waiting{client="jobs",kind="permit",lock="/a\"b"})"), 1);
}

TEST_F(PrometheusTracerTest, CountsOperations) {
    tracer.on_operation({"get", "/a", 2ms, 10, 20, 2, 1, {}});
    tracer.on_operation({"get", "/b", 2ms, 10, 20, 1, 0, server_error::no_node});
    EXPECT_EQ(value(R"(docent_operation_seconds_count{operation="get",result="ok"})"), 1);
    EXPECT_EQ(value(R"(docent_operation_seconds_count{operation="get",result=")" + error_code(server_error::no_node).message() +
                    R"("})"),
              1);
    EXPECT_EQ(value(R"(docent_operation_requests_total{operation="get"})"), 3);
    EXPECT_EQ(value(R"(docent_operation_retries_total{operation="get"})"), 1);
    EXPECT_EQ(value(R"(docent_operation_request_bytes_total{operation="get"})"), 20);
    EXPECT_EQ(value(R"(docent_operation_response_bytes_total{operation="get"})"), 40);
}

/// Codes of the same error whose messages name different sizes.
class AnswerSize final : public boost::system::error_category {
public:
    explicit AnswerSize(std::string message) : error_category(0x4f4b3b27b29cc21c), message_(std::move(message)) {}
    const char* name() const noexcept override { return "docent"; }
    std::string message(int) const override { return message_; }

private:
    std::string message_;
};

TEST_F(PrometheusTracerTest, MakesOneSeriesForTooLargeAnswersOfAllSizes) {
    for (const auto* size : {"70 MiB", "80 MiB"}) {
        const AnswerSize category(size);
        const error_code ec(static_cast<int>(error::reply_too_large), category);
        ASSERT_EQ(ec, error::reply_too_large);
        tracer.on_operation({"children", "/a", 2ms, 10, 20, 1, 0, ec});
    }
    const std::string result = make_error_code(error::reply_too_large).message();
    EXPECT_EQ(value(R"(docent_operation_seconds_count{operation="children",result=")" + result + R"("})"), 2);
}

TEST_F(PrometheusTracerTest, KnowsTheSessionsState) {
    EXPECT_EQ(value(R"(docent_session_state{state="connected"})"), 0) << "there before the first event";
    tell(SessionState::connected);
    EXPECT_EQ(value(R"(docent_session_state{state="connected"})"), 1);
    EXPECT_EQ(value("docent_session_silence_seconds_count"), -1);
    tell(SessionState::suspended);
    EXPECT_EQ(value(R"(docent_session_state{state="connected"})"), 0);
    EXPECT_EQ(value(R"(docent_session_state{state="suspended"})"), 1);
    tell(SessionState::connected);
    EXPECT_EQ(value("docent_session_silence_seconds_count"), 1);
    EXPECT_EQ(value("docent_session_losses_total"), 0);
    tell(SessionState::suspended);
    tell(SessionState::lost);
    EXPECT_EQ(value("docent_session_losses_total"), 1);
    EXPECT_EQ(value("docent_session_silence_seconds_count"), 2);
}

TEST_F(PrometheusTracerTest, ShowsOpenLeasesAndWaits) {
    EXPECT_EQ(value("docent_pending_removals"), 0) << "there before the first look";
    tracer.on_load({.pending_removals = 3, .watches = 7});
    EXPECT_EQ(value("docent_pending_removals"), 3);
    EXPECT_EQ(value("docent_watches"), 7);
}

TEST_F(PrometheusTracerTest, SharesARegistryByItsLabels) {
    PrometheusTracer second(registry, {.labels = {{"client", "second"}}});
    second.on_session_event({SessionState::lost, 1, 0xa, {}});
    EXPECT_EQ(value(R"(docent_session_losses_total{client="second"})"), 1);
    EXPECT_EQ(value("docent_session_losses_total"), 0);
}

TEST(PrometheusTracer, RefusesUnusableOptions) {
    EXPECT_THROW(PrometheusTracer(nullptr), Error);
    const auto registry = std::make_shared<prometheus::Registry>();
    EXPECT_THROW(PrometheusTracer(registry, {.lease_buckets = {1, 1}}), Error);
    EXPECT_THROW(PrometheusTracer(registry, {.operation_buckets = {2, 1}}), Error);
    EXPECT_THROW(PrometheusTracer(registry, {.labels = {{"no label", "x"}}}), Error);
    const auto taken = std::make_shared<prometheus::Registry>();
    prometheus::BuildGauge().Name("docent_operation_seconds").Register(*taken);
    EXPECT_THROW(PrometheusTracer{taken}, Error) << "a gauge of that name is there";
}

} // namespace
} // namespace docent
