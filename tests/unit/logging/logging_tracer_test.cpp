// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/logging_tracer.hpp>

#include <boost/asio/error.hpp>
#include <gtest/gtest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

namespace docent {
namespace {

using namespace std::chrono_literals;

class LoggingTracerTest : public ::testing::Test {
protected:
    LoggingTracerTest() {
        logger->set_pattern("%l %v", spdlog::pattern_time_type::utc);
        logger->set_level(spdlog::level::trace);
    }
    /// The line that the call has logged, without its end.
    std::string logged(const OperationTrace& trace) {
        return line_of([&] { tracer->on_operation(trace); });
    }
    std::string logged(const SessionEvent& event) {
        return line_of([&] { tracer->on_session_event(event); });
    }
    std::string logged(const LeaseTrace& trace) {
        return line_of([&] { tracer->on_lease(trace); });
    }
    std::string logged(std::string_view warning) {
        return line_of([&] { tracer->on_warning(warning); });
    }
    /// A text as it is logged.
    std::string value_of(std::string_view text) {
        const std::string line = logged(text);
        return line.substr(line.find("message=") + 8);
    }
    std::string level_of(error_code ec) {
        const std::string line = logged(OperationTrace{"get", "/a", 1ms, 0, 0, 1, 0, ec});
        return line.substr(0, line.find(' '));
    }

    std::ostringstream out;
    std::shared_ptr<spdlog::logger> logger =
        std::make_shared<spdlog::logger>("docent", std::make_shared<spdlog::sinks::ostream_sink_st>(out));
    std::unique_ptr<Tracer> tracer = std::make_unique<LoggingTracer>(logger);

private:
    template <typename Call> std::string line_of(Call call) {
        out.str({});
        call();
        std::string line = out.str();
        if (!line.empty()) {
            EXPECT_EQ(line.find('\n'), line.size() - 1) << "one line: " << line;
            line.pop_back();
        }
        return line;
    }
};

TEST_F(LoggingTracerTest, ASuccessIsALineAtDebug) {
    EXPECT_EQ(logged(OperationTrace{"get", "/a", 812400ns, 2, 4, 1, 0, {}}),
              "debug event=operation name=get path=/a result=ok latency_us=812 requests=1 retries=0 request_bytes=2 "
              "response_bytes=4");
}

TEST_F(LoggingTracerTest, AFailureIsAWarningThatSaysWhy) {
    EXPECT_EQ(logged(OperationTrace{"create", "/a", 3s, 9, 0, 6, 5, server_error::connection_loss}),
              "warning event=operation name=create path=/a result=zookeeper:-4 message=\"connection lost\" latency_us=3000000 "
              "requests=6 retries=5 request_bytes=9 response_bytes=0");
}

TEST_F(LoggingTracerTest, ExpectedOutcomesAreNoWarnings) {
    for (const error_code ec :
         {error_code(server_error::no_node), error_code(server_error::node_exists), error_code(server_error::bad_version),
          error_code(server_error::not_empty), error_code(error::not_acquired), error_code(error::closed),
          error_code(error::lease_lost), error_code(boost::asio::error::operation_aborted)}) {
        EXPECT_EQ(level_of(ec), "debug") << ec.message();
    }
    for (const error_code ec :
         {error_code(server_error::no_auth), error_code(server_error::session_expired), error_code(error::not_connected)}) {
        EXPECT_EQ(level_of(ec), "warning") << ec.message();
    }
}

TEST_F(LoggingTracerTest, NoPathForgesALineOrAField) {
    EXPECT_EQ(logged(OperationTrace{"get", "/a\ninfo event=session", 1us, 0, 0, 0, 0, {}}),
              R"(debug event=operation name=get path="/a\x0ainfo event=session" result=ok latency_us=1 requests=0 retries=0 )"
              "request_bytes=0 response_bytes=0");
    EXPECT_NE(logged(OperationTrace{"get", "/{} {0} %v", 1us, 0, 0, 0, 0, {}}).find(R"(path="/{} {0} %v")"), std::string::npos)
        << "no format, either";
}

TEST_F(LoggingTracerTest, WithoutAThresholdNothingIsSlow) {
    const std::string line = logged(OperationTrace{"get", "/a", 1h, 0, 0, 1, 0, {}});
    EXPECT_TRUE(line.starts_with("debug ")) << line;
    EXPECT_EQ(line.find("slow"), std::string::npos) << line;
}

TEST_F(LoggingTracerTest, SlowOperationsAreLoggedAtInfo) {
    tracer = std::make_unique<LoggingTracer>(logger, LoggingTracerOptions{.slow_above = 100ms});
    const OperationTrace in_time{"get", "/a", 100ms, 0, 0, 1, 0, {}};
    EXPECT_TRUE(logged(in_time).starts_with("debug ")) << "at the threshold is not above it";
    OperationTrace slow = in_time;
    slow.latency += 1ns;
    EXPECT_TRUE(logged(slow).starts_with("info ")) << out.str();
    EXPECT_TRUE(out.str().ends_with(" slow=true\n")) << out.str();
    slow.ec = server_error::no_node;
    EXPECT_TRUE(logged(slow).starts_with("info ")) << out.str();
    slow.ec = server_error::connection_loss;
    EXPECT_TRUE(logged(slow).starts_with("warning ")) << out.str();
    EXPECT_TRUE(out.str().ends_with(" slow=true\n")) << out.str();
}

TEST_F(LoggingTracerTest, SessionEventsAreLoggedAtInfoAndLossesAsWarnings) {
    EXPECT_EQ(logged(SessionEvent{SessionState::connected, 1, 0x1000a, {}}),
              "info event=session state=connected epoch=1 session=0x1000a");
    EXPECT_EQ(logged(SessionEvent{SessionState::suspended, 1, -1, {}}),
              "info event=session state=suspended epoch=1 session=0xffffffffffffffff");
    EXPECT_EQ(logged(SessionEvent{SessionState::lost, 1, 0xa, server_error::session_expired}),
              "warning event=session state=lost epoch=1 session=0xa reason=zookeeper:-112 message=\"the session has expired\"");
}

TEST_F(LoggingTracerTest, ALease) {
    LeaseTrace trace{.event = LeaseEvent::requested, .kind = LeaseKind::write, .label = "table", .path = "/a b"};
    EXPECT_EQ(logged(trace), R"(debug event=lease what=requested kind=write label=table path="/a b")");
    trace.event = LeaseEvent::granted;
    trace.waited = 5ms;
    EXPECT_EQ(logged(trace), R"(debug event=lease what=granted kind=write label=table path="/a b" waited_us=5000)");
    trace = {.event = LeaseEvent::released, .path = "/a", .held = 7ms, .margin = 2s};
    EXPECT_EQ(logged(trace), R"(debug event=lease what=released kind=mutex label="" path=/a held_us=7000 margin_us=2000000)");
    trace = {.event = LeaseEvent::lost, .path = "/a", .held = 7ms, .ec = server_error::no_node};
    EXPECT_EQ(
        logged(trace).find("warning event=lease what=lost kind=mutex label=\"\" path=/a held_us=7000 reason=zookeeper:-101"),
        0u)
        << logged(trace);
    trace.ec = error::closed;
    EXPECT_EQ(logged(trace).find("debug "), 0u);
    trace = {.event = LeaseEvent::refused, .path = "/a", .ec = error::not_acquired};
    EXPECT_EQ(logged(trace).find("debug "), 0u);
    trace.ec = server_error::no_auth;
    EXPECT_EQ(logged(trace).find("warning "), 0u);
    trace.event = LeaseEvent::expired;
    EXPECT_EQ(logged(trace).find("info "), 0u);
}

TEST_F(LoggingTracerTest, AWarning) {
    EXPECT_EQ(logged(std::string_view("no containers: they stay")),
              "warning event=warning message=\"no containers: they stay\"");
}

TEST_F(LoggingTracerTest, QuotesTextThatIsNotOneWord) {
    EXPECT_EQ(value_of("/a/b-_c.0"), "/a/b-_c.0");
    EXPECT_EQ(value_of(""), R"("")");
    EXPECT_EQ(value_of("two words"), R"("two words")");
    EXPECT_EQ(value_of("/a=b"), R"("/a=b")");
    EXPECT_EQ(value_of(R"(say "a\b")"), R"("say \"a\\b\"")");
}

TEST_F(LoggingTracerTest, EscapesEverythingThatCouldEndALineOrReachATerminal) {
    EXPECT_EQ(value_of("/a\nlevel=info"), R"("/a\x0alevel=info")");
    EXPECT_EQ(value_of("\r\t\x1b[2J\x7f"), R"("\x0d\x09\x1b[2J\x7f")");
    EXPECT_EQ(value_of(std::string_view("\0", 1)), R"("\x00")");
    EXPECT_EQ(value_of("\xc3\xa9\xff"), R"("\xc3\xa9\xff")") << "separators and control characters hide beyond ASCII, too";
}

TEST_F(LoggingTracerTest, TheLoggersLevelCounts) {
    logger->set_level(spdlog::level::warn);
    EXPECT_EQ(logged(OperationTrace{"get", "/a", 1ms, 0, 0, 1, 0, {}}), "");
    EXPECT_EQ(logged(SessionEvent{SessionState::connected, 1, 0xa, {}}), "");
    EXPECT_NE(logged(SessionEvent{SessionState::lost, 1, 0xa, {}}), "");
}

TEST(LoggingTracer, ThrowsNothingIntoTheClient) {
    struct BrokenSink final : spdlog::sinks::base_sink<spdlog::details::null_mutex> {
        void sink_it_(const spdlog::details::log_msg&) override {
            throw 42;
        } // spdlog passes on anything that is not a std::exception
        void flush_() override {}
    };
    const auto logger = std::make_shared<spdlog::logger>("docent", std::make_shared<BrokenSink>());
    logger->set_error_handler([](const std::string&) {});
    LoggingTracer tracer{logger};
    EXPECT_NO_THROW(tracer.on_session_event({SessionState::connected, 1, 0xa, {}}));
}

TEST(LoggingTracer, NeedsALogger) {
    EXPECT_THROW(LoggingTracer(nullptr), Error);
}

} // namespace
} // namespace docent
