// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace docent::testing {
class MemoryServer;
}

namespace docent::test {

class PooledServer;

struct AnyServerOptions {
    std::chrono::milliseconds tick_time{500};
    std::chrono::milliseconds max_session_timeout{0}; ///< 0 for 20 ticks.
    bool extended_types = false;
    std::chrono::milliseconds cleanup_interval = std::chrono::hours{24}; ///< Of empty containers.
};

/// An empty server for tests that need no property of the real ZooKeeper. It is a MemoryServer, which takes less time; if the
/// environment variable DOCENT_TEST_SERVERS is `real`, it is a PooledServer. The conformance suite shows that both do the same.
class AnyServer {
public:
    explicit AnyServer(const AnyServerOptions& options = {});
    ~AnyServer();
    AnyServer(const AnyServer&) = delete;
    AnyServer& operator=(const AnyServer&) = delete;

    std::uint16_t port() const noexcept { return port_; }
    std::string connect_string() const { return "127.0.0.1:" + std::to_string(port_); }

    void start();
    void stop();
    void kill();
    void restart();
    void pause();
    void resume();

    std::int64_t metric(std::string_view name) const;

private:
    std::unique_ptr<docent::testing::MemoryServer> in_memory_; // either this is set, or real_
    std::unique_ptr<PooledServer> real_;
    std::uint16_t port_ = 0;
};

} // namespace docent::test
