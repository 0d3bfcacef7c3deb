// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/tls.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace docent::testing {

/// Options of a TestingServer.
/// ```cpp
/// docent::testing::ServerOptions options{
///     .tick_time = 200ms,
///     .java_options = {"-Dzookeeper.extendedTypesEnabled=true"}};
/// docent::testing::TestingServer server{options};
/// ```
/// @ingroup testing
struct ServerOptions {
    /// The port of 127.0.0.1 on which the server listens; 0 for a free port.
    ///
    /// The object reserves a free port until it is destroyed, also while the server is stopped.
    std::uint16_t port = 0;
    /// The folder for the data; if empty, a temporary folder that the destructor removes.
    std::filesystem::path data_dir = {};
    /// The length of ZooKeeper's tick. Session timeouts are 2 to 20 ticks; a session expires at the end of a tick.
    std::chrono::milliseconds tick_time{500};
    /// Whether the server also listens with TLS, on another port, with certificates that it makes itself. Clients need one of
    /// them: see TestingServer::tls_config().
    bool tls = false;
    /// More lines for `zoo.cfg`, by name.
    std::map<std::string, std::string> properties = {};
    /// More options for the Java virtual machine.
    std::vector<std::string> java_options = {};
};

/// A real ZooKeeper server for tests. It runs as a child process.
/// ```cpp
/// docent::testing::TestingServer server;
/// docent::Client tested{{.connect_string = server.connect_string()}};
/// tested.start();
/// tested.create("/a");
/// server.restart(); // the client reconnects
/// ```
/// Requirements: a Java runtime, and ZooKeeper: Debian's `libzookeeper-java`, or the release in `$ZOOKEEPER_HOME`.
/// - Errors: members that are not `noexcept` may throw `std::runtime_error`. The text names the fault and a remedy.
/// - Thread safety: one thread at a time.
/// - Lifetime: the server ends with this object, and with this process, also if the process is killed. In a child made by
///   `fork()` the destructor does nothing; then the server ends when both processes have ended.
/// @ingroup testing
class DOCENT_EXPORT TestingServer {
public:
    /// Starts a server, and returns when it answers.
    explicit TestingServer(ServerOptions options = {});
    /// Ends the server and removes temporary data.
    ~TestingServer();
    /// Deleted: the object cannot be copied.
    TestingServer(const TestingServer&) = delete;
    /// Deleted: the object cannot be copied.
    TestingServer& operator=(const TestingServer&) = delete;

    /// Returns the port of 127.0.0.1 on which the server listens.
    std::uint16_t port() const noexcept;
    /// Returns `127.0.0.1:<port>`, for `ClientConfig::connect_string`.
    std::string connect_string() const;
    /// Returns `127.0.0.1:<port>` of the TLS port. Throws `std::runtime_error` without ServerOptions::tls.
    std::string tls_connect_string() const;
    /// Returns the files for `ClientConfig::tls`. They exist as long as this object. Throws `std::runtime_error` without
    /// ServerOptions::tls.
    TlsConfig tls_config() const;
    /// Returns the folder of the server's data.
    const std::filesystem::path& data_dir() const noexcept;
    /// Returns the id of the Java process; 0 if it does not run.
    int pid() const noexcept;
    /// Returns whether the Java process runs; also true while it is paused.
    bool running() const noexcept;

    /// Starts a stopped server on the same port and data, and waits until it answers.
    void start();
    /// Stops the server in an orderly way (SIGTERM) and waits for its end.
    void stop();
    /// Kills the server (SIGKILL) and waits for its end.
    void kill();
    /// Stops the server and starts it again.
    void restart();
    /// Suspends the server (SIGSTOP): connections stay open, and no request gets an answer.
    void pause();
    /// Resumes a paused server (SIGCONT).
    void resume();

    /// Sends a four-letter word, for example `srvr`, `mntr` or `cons`, and returns the answer.
    std::string four_letter_word(std::string_view word) const;
    /// Returns one value of the four-letter word `mntr`, for example `zk_packets_received`.
    std::int64_t metric(std::string_view name) const;

private:
    friend class TestingCluster;
    struct Impl;
    explicit TestingServer(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace docent::testing
