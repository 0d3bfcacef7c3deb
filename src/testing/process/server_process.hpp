// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/process/child_process.hpp"
#include "testing/server_files.hpp"
#include "testing/testing_cluster.hpp"

#include <docent/testing/testing_server.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace docent::testing {

/// The parts of a ZooKeeper server's command line. Both functions throw std::runtime_error, with advice what to install.

/// `$JAVA_HOME/bin/java`, or the first `java` of `$PATH`.
std::filesystem::path find_java();
/// The class path of `$ZOOKEEPER_HOME` if that is set, else of Debian's libzookeeper-java.
std::string find_zookeeper_class_path();

enum class StartResult { ready, port_taken };

/// A ZooKeeper server on a given port: its files, its Java process, and the watchdog of both. It can be started and ended
/// several times. The destructor kills it.
class ServerProcess {
public:
    /// Writes the files. Does not start the server. With a membership, it is a server of a cluster.
    ServerProcess(ServerOptions options, std::uint16_t port, std::optional<Membership> membership = std::nullopt);
    ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    const ServerFiles& files() const noexcept { return files_; }
    std::uint16_t port() const noexcept { return port_; }
    /// Sets the port for the next launch.
    void use_port(std::uint16_t port);
    /// The process id; 0 if the server does not run.
    int pid() noexcept { return running() ? process_.pid() : 0; }
    bool running() noexcept;
    bool paused() const noexcept { return paused_; }

    /// Calls launch() and wait_until_answers().
    StartResult start();
    /// Starts the process and does not wait. Returns `port_taken` if another program listens on the port.
    StartResult launch();
    /// Waits until the server answers at its port: a single server when it serves clients, a cluster's server when it runs,
    /// because it needs a quorum to serve. Throws std::runtime_error if the server ends.
    StartResult wait_until_answers();
    /// One of its ports that another program listens on; call it while the server does not run.
    std::optional<std::uint16_t> taken_port() const;
    void end(int signal) noexcept;
    void pause() noexcept;
    void resume() noexcept;

    /// Throws std::runtime_error with this text and the end of the server's log.
    [[noreturn]] void fail(const std::string& what) const;

private:
    void spawn(const ChildCommand& command);
    bool serves_enough() const;
    bool answers_as_ours() const;

    const ServerOptions options_;
    const std::optional<Membership> membership_;
    const ServerFiles files_;
    Watchdog watchdog_;
    std::uint16_t port_;
    ChildProcess process_;
    bool paused_ = false;
};

} // namespace docent::testing
