// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace docent::testing {

/// How a TestingServer runs.
struct ServerOptions {
    /// Port of 127.0.0.1 to listen on; 0: a free one, kept for this object until it is destroyed, also while it is stopped.
    std::uint16_t port = 0;
    /// Where the data goes; empty: a temporary folder, removed at the end.
    std::filesystem::path data_dir = {};
    /// Length of ZooKeeper's tick. Sessions time out after 2 to 20 ticks, at the end of a tick.
    std::chrono::milliseconds tick_time{500};
    /// More lines for zoo.cfg.
    std::map<std::string, std::string> properties = {};
    /// More options for the Java virtual machine, e.g. `-Dzookeeper.extendedTypesEnabled=true`.
    std::vector<std::string> java_options = {};
};

/// A real ZooKeeper server as a child process, for tests. Its jar is Debian's, or that of `$ZOOKEEPER_HOME`. It answers when
/// the constructor returns, and dies with this process, however that ends.
/// In a child made by `fork()` the destructor does nothing; the server dies when both processes have ended.
///
/// Errors: every member throws std::runtime_error with one line that says what is wrong and what to do.
/// Thread safety: one thread at a time.
class DOCENT_EXPORT TestingServer {
public:
    explicit TestingServer(ServerOptions options = {});
    ~TestingServer();
    TestingServer(const TestingServer&) = delete;
    TestingServer& operator=(const TestingServer&) = delete;

    std::uint16_t port() const noexcept;
    /// `127.0.0.1:<port>`
    std::string connect_string() const;
    const std::filesystem::path& data_dir() const noexcept;
    /// Process id of the Java process; 0 when it does not run.
    int pid() const noexcept;
    bool running() const noexcept;

    /// Starts it again, on the same port and data, and waits until it answers.
    void start();
    /// Ends it in an orderly way (SIGTERM) and waits for its end.
    void stop();
    /// SIGKILL, and waits for its end.
    void kill();
    void restart();
    /// SIGSTOP: connections stay open and nothing answers.
    void pause();
    /// SIGCONT.
    void resume();

    /// Sends a four-letter word (`srvr`, `mntr`, `cons`, `dump`, `wchp`, ...) and returns the answer.
    std::string four_letter_word(std::string_view word) const;
    /// One value of `mntr`, e.g. `zk_packets_received`.
    std::int64_t metric(std::string_view name) const;

private:
    friend class TestingCluster;
    struct Impl;
    explicit TestingServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
