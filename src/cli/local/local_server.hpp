// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"

#include <docent/testing/memory_server.hpp>
#include <docent/testing/testing_server.hpp>
#include <docent/tls.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace docent::cli {

struct LocalServerOptions {
    ServerKind kind = ServerKind::in_memory;
    std::uint16_t port = 0;
    std::filesystem::path data_dir = {}; // of a real server; empty: a temporary folder
    bool tls = false;
    std::chrono::milliseconds longest_session = std::chrono::seconds{10};
};

/// The server that `docent server` or `docent demo` runs: in memory, or a real ZooKeeper. It listens on 127.0.0.1.
class LocalServer {
public:
    /// Throws std::runtime_error with one line for the user, which names the command; std::system_error if the process may not
    /// open enough files.
    LocalServer(std::string_view command, const LocalServerOptions& options);

    std::uint16_t port() const {
        return std::visit([](auto& server) { return server->port(); }, server_);
    }
    std::string connect_string() const { return "127.0.0.1:" + std::to_string(port()); }
    std::string tls_connect_string() const {
        return std::visit([](auto& server) { return server->tls_connect_string(); }, server_);
    }
    TlsConfig tls_config() const {
        return std::visit([](auto& server) { return server->tls_config(); }, server_);
    }
    /// Returns whether the server still runs; a real server is a process that may end.
    bool running() const {
        return std::visit([](auto& server) { return server->running(); }, server_);
    }
    void stop() {
        std::visit([](auto& server) { server->stop(); }, server_);
    }

private:
    std::variant<std::unique_ptr<docent::testing::MemoryServer>, std::unique_ptr<docent::testing::TestingServer>> server_;
};

} // namespace docent::cli
