// SPDX-License-Identifier: Apache-2.0
#include <docent/tracing/logging_tracer.hpp>

#include <boost/asio/error.hpp>
#include <spdlog/logger.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace docent {
namespace {

using spdlog::level::level_enum;

bool is_printable(unsigned char c) {
    return c >= 0x20 && c < 0x7f;
}

bool is_plain(unsigned char c) {
    return is_printable(c) && c != ' ' && c != '"' && c != '\\' && c != '=';
}

void append_quoted(std::string& text, std::string_view value) {
    constexpr std::string_view digits = "0123456789abcdef";
    text += '"';
    for (const char byte : value) {
        const auto c = static_cast<unsigned char>(byte);
        if (!is_printable(c)) {
            text += "\\x";
            text += digits[c >> 4];
            text += digits[c & 0x0f];
            continue;
        }
        if (byte == '"' || byte == '\\') text += '\\';
        text += byte;
    }
    text += '"';
}

/// A line of `key=value` pairs. Quotes and escapes values where necessary.
class LogLine {
public:
    LogLine& add(std::string_view key, std::string_view value) {
        if (!text_.empty()) text_ += ' ';
        text_ += key;
        text_ += '=';
        if (!value.empty() && std::all_of(value.begin(), value.end(), is_plain)) text_ += value;
        else append_quoted(text_, value);
        return *this;
    }
    template <std::integral Number> LogLine& add(std::string_view key, Number value) {
        return add(key, std::string_view(std::to_string(value)));
    }

    const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// Whether the error is an expected answer, or the end of an operation that the program has cancelled.
bool is_expected(const error_code& ec) {
    return ec == server_error::no_node || ec == server_error::node_exists || ec == server_error::bad_version ||
           ec == server_error::not_empty || ec == error::not_acquired || ec == error::closed || ec == error::lease_lost ||
           ec == boost::asio::error::operation_aborted;
}

std::string hexadecimal(std::int64_t number) { // as ZooKeeper prints sessions
    std::array<char, 18> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<std::uint64_t>(number), 16).ptr;
    return "0x" + std::string(digits.data(), end);
}

void add_error(LogLine& line, std::string_view key, const error_code& ec) {
    line.add(key, ec.to_string()).add("message", ec.message());
}

std::string describe(const OperationTrace& trace, bool is_slow) {
    LogLine line;
    line.add("event", "operation").add("name", trace.name).add("path", trace.path);
    if (trace.ec) add_error(line, "result", trace.ec);
    else line.add("result", "ok");
    line.add("latency_us", std::chrono::duration_cast<std::chrono::microseconds>(trace.latency).count())
        .add("requests", trace.requests)
        .add("retries", trace.retries)
        .add("request_bytes", trace.request_bytes)
        .add("response_bytes", trace.response_bytes);
    if (is_slow) line.add("slow", "true");
    return line.text();
}

std::string describe(const SessionEvent& event) {
    LogLine line;
    line.add("event", "session")
        .add("state", to_string(event.state))
        .add("epoch", event.epoch)
        .add("session", hexadecimal(event.session_id));
    if (event.reason) add_error(line, "reason", event.reason);
    return line.text();
}

std::string describe(const LeaseTrace& trace) {
    const auto microseconds = [](std::chrono::nanoseconds time) {
        return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    };
    LogLine line;
    line.add("event", "lease")
        .add("what", to_string(trace.event))
        .add("kind", to_string(trace.kind))
        .add("label", trace.label)
        .add("path", trace.path);
    switch (trace.event) {
    case LeaseEvent::requested: break;
    case LeaseEvent::granted:
    case LeaseEvent::refused: line.add("waited_us", microseconds(trace.waited)); break;
    case LeaseEvent::released:
        line.add("held_us", microseconds(trace.held)).add("margin_us", microseconds(trace.margin));
        break;
    case LeaseEvent::lost:
    case LeaseEvent::expired:
    case LeaseEvent::revocation_request: line.add("held_us", microseconds(trace.held)); break;
    }
    if (trace.ec) add_error(line, "reason", trace.ec);
    return line.text();
}

std::string describe(std::string_view warning) {
    return LogLine().add("event", "warning").add("message", warning).text();
}

level_enum level_of(const LeaseTrace& trace) {
    switch (trace.event) {
    case LeaseEvent::lost: return trace.ec == error::closed ? level_enum::debug : level_enum::warn;
    case LeaseEvent::refused: return is_expected(trace.ec) ? level_enum::debug : level_enum::warn;
    case LeaseEvent::expired:
    case LeaseEvent::revocation_request: return level_enum::info;
    default: return level_enum::debug;
    }
}

template <typename... Event> void log(spdlog::logger& logger, level_enum level, const Event&... event) noexcept {
    try {
        if (logger.should_log(level)) logger.log(level, spdlog::string_view_t(describe(event...)));
    } catch (...) { // NOLINT(bugprone-empty-catch): a client goes on without its log
    }
}

} // namespace

LoggingTracer::LoggingTracer(std::shared_ptr<spdlog::logger> logger, LoggingTracerOptions options)
    : logger_(std::move(logger)), options_(options) {
    if (!logger_) throw Error(error::invalid_config, "LoggingTracer: no logger");
}

bool LoggingTracer::is_slow(const OperationTrace& trace) const {
    return options_.slow_above && trace.latency > *options_.slow_above;
}

level_enum LoggingTracer::level_of(const OperationTrace& trace) const {
    if (trace.ec && !is_expected(trace.ec)) return level_enum::warn;
    return is_slow(trace) ? level_enum::info : level_enum::debug;
}

void LoggingTracer::on_operation(const OperationTrace& trace) noexcept {
    log(*logger_, level_of(trace), trace, is_slow(trace));
}

void LoggingTracer::on_session_event(const SessionEvent& event) noexcept {
    log(*logger_, event.state == SessionState::lost ? level_enum::warn : level_enum::info, event);
}

void LoggingTracer::on_lease(const LeaseTrace& trace) noexcept {
    log(*logger_, docent::level_of(trace), trace);
}

void LoggingTracer::on_warning(std::string_view text) noexcept {
    log(*logger_, level_enum::warn, text);
}

} // namespace docent
