// SPDX-License-Identifier: Apache-2.0
// A user's program with a client and a logging tracer.
#include <docent/tracing/logging_tracer.hpp>

#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>

#include <iostream>

int main() {
    const auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(std::cout);
    docent::LoggingTracer tracer{std::make_shared<spdlog::logger>("consumer", sink)};
    tracer.on_session_event({docent::SessionState::connected, 1, 0xa, {}});
}
