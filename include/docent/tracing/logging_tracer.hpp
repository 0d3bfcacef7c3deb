// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tracing/tracer.hpp>

#include <spdlog/fwd.h>

#include <chrono>
#include <memory>
#include <optional>

namespace docent {

/// Options of a LoggingTracer.
/// ```cpp
/// docent::LoggingTracerOptions options{.slow_above = 500ms};
/// ```
/// @ingroup tracing
struct LoggingTracerOptions {
    /// Operations that take longer than this get `slow=true`, and at least the level `info`.
    std::optional<std::chrono::nanoseconds> slow_above = {};
};

/// Writes one line with spdlog for each operation, session event, lease event and warning. Link with `docent::logging`, and ask
/// CMake for it: `find_package(docent REQUIRED COMPONENTS logging)`.
/// ```cpp
/// std::shared_ptr<spdlog::logger> logger; // for example spdlog::default_logger()
/// docent::LoggingTracerOptions options{.slow_above = 500ms};
/// auto tracer = std::make_shared<docent::LoggingTracer>(logger, options);
/// docent::Client logged{{.tracer = tracer}};
/// ```
/// **Levels.**
/// - `warn`: the loss of a session; the loss of a lease while the client is open; an unexpected error of an operation or
///   acquire; warnings (Tracer::on_warning).
/// - `info`: other session events; the expiry of a lease; a revocation request; an operation slower than `slow_above`.
/// - `debug`: everything else.
///
/// Expected errors are `no_node`, `node_exists`, `bad_version`, `not_empty`, `not_acquired`, `lease_lost` (the loss itself has
/// its own line), `operation_aborted` and `closed`.
///
/// **Lines.** A line consists of `key=value` pairs and begins with `event=operation`, `event=session`, `event=lease` or
/// `event=warning`. Two lines, broken here:
/// ```text
/// event=operation name=get path=/a result=ok latency_us=812 requests=1
///     retries=0 request_bytes=2 response_bytes=4
/// event=lease what=released kind=mutex label=nightly path=/lock
///     held_us=40811 margin_us=5633210
/// ```
/// For an error, `result` is the category and the number (`zookeeper:-101`), and `message` follows. A value is in double quotes
/// unless it consists of printable ASCII characters other than space, double quote, backslash and equals sign. Within quotes, a
/// double quote or backslash has a backslash in front, and each byte that is not printable ASCII is `\xNN`. So a path cannot
/// end a line, forge a field or reach a terminal.
///
/// - Thread safety: as the logger; use a `_mt` sink if several clients share the tracer. The tracer calls the logger in the
///   thread that calls the tracer: put a sink that blocks for long behind spdlog's asynchronous logger.
/// - Errors: none. If a line cannot be written, spdlog calls the logger's error handler, and the tracer drops the line.
/// @ingroup tracing
class DOCENT_EXPORT LoggingTracer final : public Tracer {
public:
    /// Makes a tracer that writes to `logger`.
    ///
    /// Errors: throws docent::Error with `error::invalid_config` if `logger` is null.
    explicit LoggingTracer(std::shared_ptr<spdlog::logger> logger, LoggingTracerOptions options = {});

    /// Writes a line for the operation.
    void on_operation(const OperationTrace& trace) noexcept override;
    /// Writes a line for the session event.
    void on_session_event(const SessionEvent& event) noexcept override;
    /// Writes a line for the lease event.
    void on_lease(const LeaseTrace& trace) noexcept override;
    /// Writes a line for the warning.
    void on_warning(std::string_view text) noexcept override;

private:
    spdlog::level::level_enum level_of(const OperationTrace& trace) const;
    bool is_slow(const OperationTrace& trace) const;

    std::shared_ptr<spdlog::logger> logger_;
    LoggingTracerOptions options_;
};

} // namespace docent
