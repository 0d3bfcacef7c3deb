// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <spdlog/fwd.h>

#include <chrono>
#include <memory>
#include <optional>

namespace docent {

/// What a LoggingTracer logs beyond its defaults.
struct LoggingTracerOptions {
    /// Operations that took longer are logged at info, with `slow=true`, whatever their level would have been below that.
    std::optional<std::chrono::nanoseconds> slow_above = {};
};

/// Logs operations, session events and what happens to leases with spdlog, a line each. In docent::logging, a library of its
/// own.
///
/// Levels: `warn` for a session that was lost, for a lease that was lost while the client was open, and for an operation or an
/// acquire that failed in a way that programs do not ask for; they do for `no_node`, `node_exists`, `bad_version`,
/// `not_empty`, `not_acquired`, `operation_aborted` and `closed`. `info` for other session events, for a lease that has expired
/// or that somebody has asked for, and for operations slower than `slow_above`. `debug` for all else. Warnings are `warn`.
///
/// A line is `key=value` pairs, which begin with `event=operation`, `event=session`, `event=lease` or `event=warning`:
/// `event=operation name=get path=/a result=ok latency_us=812 requests=1 retries=0 request_bytes=2 response_bytes=4`,
/// `event=lease what=released kind=mutex label=nightly path=/lock held_us=40811 margin_us=5633210`.
/// A failure has its category and number as `result` (`zookeeper:-101`) and a `message`. A value with anything but letters,
/// digits and plain punctuation stands in double quotes, where `"` and `\` have a backslash in front and every byte that is not
/// printable ASCII is `\xNN`: no path can end a line, forge a field or reach a terminal.
///
/// Threads: as the logger: a `_mt` sink if several clients share the tracer. The logger is called where a
/// Tracer is: sinks that block for long belong behind spdlog's asynchronous logger.
/// Errors: none; a line that cannot be written is dropped, after spdlog has called the logger's error handler.
class DOCENT_EXPORT LoggingTracer final : public Tracer {
public:
    /// Throws Error(error::invalid_config) if there is no logger.
    explicit LoggingTracer(std::shared_ptr<spdlog::logger> logger, LoggingTracerOptions options = {});

    void on_operation(const OperationTrace& trace) noexcept override;
    void on_session_event(const SessionEvent& event) noexcept override;
    void on_lease(const LeaseTrace& trace) noexcept override;
    void on_warning(std::string_view text) noexcept override;

private:
    spdlog::level::level_enum level_of(const OperationTrace& trace) const;
    bool is_slow(const OperationTrace& trace) const;

    std::shared_ptr<spdlog::logger> logger_;
    LoggingTracerOptions options_;
};

} // namespace docent
