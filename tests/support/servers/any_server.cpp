// SPDX-License-Identifier: Apache-2.0
#include "servers/any_server.hpp"

#include "servers/pooled_server.hpp"

#include <docent/testing/memory_server.hpp>

#include <cstdlib>
#include <stdexcept>

namespace docent::test {

using docent::testing::MemoryOptions;
using docent::testing::MemoryServer;
using docent::testing::ServerOptions;

namespace {

bool wants_the_real_one() {
    const char* const wanted = std::getenv("DOCENT_TEST_SERVERS");
    if (wanted == nullptr || std::string_view(wanted) == "memory") return false;
    if (std::string_view(wanted) == "real") return true;
    throw std::runtime_error("DOCENT_TEST_SERVERS is neither memory nor real: " + std::string(wanted));
}

MemoryOptions in_memory(const AnyServerOptions& options) {
    return {.tick_time = options.tick_time,
            .max_session_timeout = options.max_session_timeout,
            .extended_types = options.extended_types,
            .cleanup_interval = options.cleanup_interval};
}

ServerOptions real(const AnyServerOptions& options) {
    ServerOptions same{.tick_time = options.tick_time};
    if (options.max_session_timeout.count() > 0) {
        same.properties["maxSessionTimeout"] = std::to_string(options.max_session_timeout.count());
    }
    if (options.extended_types) same.java_options.push_back("-Dzookeeper.extendedTypesEnabled=true");
    same.java_options.push_back("-Dznode.container.checkIntervalMs=" + std::to_string(options.cleanup_interval.count()));
    return same;
}

} // namespace

AnyServer::AnyServer(const AnyServerOptions& options) {
    if (wants_the_real_one()) {
        real_ = std::make_unique<PooledServer>(real(options));
        port_ = real_->port();
    } else {
        in_memory_ = std::make_unique<MemoryServer>(in_memory(options));
        port_ = in_memory_->port();
    }
}

AnyServer::~AnyServer() = default;

void AnyServer::start() {
    in_memory_ ? in_memory_->start() : real_->start();
}
void AnyServer::stop() {
    in_memory_ ? in_memory_->stop() : real_->stop();
}
void AnyServer::kill() {
    in_memory_ ? in_memory_->kill() : real_->kill();
}
void AnyServer::restart() {
    in_memory_ ? in_memory_->restart() : real_->restart();
}
void AnyServer::pause() {
    in_memory_ ? in_memory_->pause() : real_->pause();
}
void AnyServer::resume() {
    in_memory_ ? in_memory_->resume() : real_->resume();
}

std::int64_t AnyServer::metric(std::string_view name) const {
    return in_memory_ ? in_memory_->metric(name) : real_->metric(name);
}

} // namespace docent::test
