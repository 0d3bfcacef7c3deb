// SPDX-License-Identifier: Apache-2.0
#include "cli/local/local_server.hpp"

#include "posix/descriptors.hpp"

#include <exception>
#include <stdexcept>

namespace docent::cli {
namespace {

using docent::testing::MemoryServer;
using docent::testing::TestingServer;

/// Enough for a ZooKeeper in Java, and for the demo with all its clients.
constexpr std::size_t descriptors_of_a_server = 64;
constexpr std::chrono::milliseconds tick{500};

/// The reason without the name of the class, which means nothing to the user, and without the server's log, which follows it.
std::string first_line(std::string_view reason) {
    for (const std::string_view name : {"TestingServer: ", "MemoryServer: "}) {
        if (reason.starts_with(name)) reason.remove_prefix(name.size());
    }
    return std::string(reason.substr(0, reason.find('\n')));
}

} // namespace

LocalServer::LocalServer(std::string_view command, const LocalServerOptions& options) {
    posix::require_descriptors(descriptors_of_a_server); // without them, Java only reports a missing class
    try {
        if (options.kind == ServerKind::in_memory) {
            server_ = std::make_unique<MemoryServer>(docent::testing::MemoryOptions{
                .port = options.port, .tick_time = tick, .max_session_timeout = options.longest_session, .tls = options.tls});
        } else {
            server_ = std::make_unique<TestingServer>(docent::testing::ServerOptions{
                .port = options.port,
                .data_dir = options.data_dir,
                .tick_time = tick,
                .tls = options.tls,
                .properties = {{"maxSessionTimeout", std::to_string(options.longest_session.count())}}});
        }
    } catch (const std::exception& failure) {
        throw std::runtime_error(std::string(command) + ": " + first_line(failure.what()));
    }
}

} // namespace docent::cli
