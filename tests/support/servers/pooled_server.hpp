// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/testing/testing_server.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace docent::test {

/// An empty ZooKeeper server like a TestingServer, which only one test uses at a time. Under ctest it comes from the pool
/// (server_pool.hpp). Another test may have used it before, so zxids and sequence numbers at the root have gone on. A test that
/// is started by hand, or that wants a certain port or folder, starts a server itself. The server removes no empty containers,
/// unless an option of the test says so.
///
/// Its members do what the members of TestingServer with the same names do.
class PooledServer {
public:
    explicit PooledServer(const docent::testing::ServerOptions& options = {});
    ~PooledServer();
    PooledServer(const PooledServer&) = delete;
    PooledServer& operator=(const PooledServer&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    std::string connect_string() const { return "127.0.0.1:" + std::to_string(port_); }
    const std::filesystem::path& data_dir() const noexcept { return data_dir_; }

    void start() { tell("start", &TestingServer::start); }
    void stop() { tell("stop", &TestingServer::stop); }
    void kill() { tell("kill", &TestingServer::kill); }
    void restart() { tell("restart", &TestingServer::restart); }
    void pause() { tell("pause", &TestingServer::pause); }
    void resume() { tell("resume", &TestingServer::resume); }

    std::string four_letter_word(std::string_view word) const;
    std::int64_t metric(std::string_view name) const;

private:
    using TestingServer = docent::testing::TestingServer;
    struct FromPool;

    void tell(std::string_view word, void (TestingServer::*act)());

    std::unique_ptr<FromPool> from_pool_; // either this is set, or own_
    std::unique_ptr<TestingServer> own_;
    std::uint16_t port_ = 0;
    std::filesystem::path data_dir_;
};

} // namespace docent::test
