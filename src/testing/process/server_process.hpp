// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/process_mark.hpp"
#include "testing/ports.hpp"
#include "testing/process/child_process.hpp"

#include <docent/testing/testing_server.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::testing {

/// The ports of a cluster's server: for clients, for followers, and for votes.
struct MemberPorts {
    std::uint16_t client = 0;
    std::uint16_t quorum = 0;
    std::uint16_t election = 0;
};

/// The additional settings of a cluster's server.
struct Membership {
    std::size_t number = 0;           ///< The server's index in `members`.
    std::vector<MemberPorts> members; ///< All servers of the cluster.

    const MemberPorts& own_ports() const { return members.at(number); }
    /// The server's id, as in the file `myid`: from 1.
    std::size_t id() const noexcept { return number + 1; }
};

/// The parts of a ZooKeeper server's command line. Both functions throw std::runtime_error, with advice what to install.

/// `$JAVA_HOME/bin/java`, or the first `java` of `$PATH`.
std::filesystem::path find_java();
/// The class path of `$ZOOKEEPER_HOME` if that is set, else of Debian's libzookeeper-java.
std::string find_zookeeper_class_path();

/// Lines of `zoo.cfg` for TLS, with the files that write_certificates() has written to this folder. They name no port. Netty
/// serves all ports then.
std::map<std::string, std::string> tls_properties(const std::filesystem::path& folder);

/// The line of a server's log that says why the server has ended: the last line that is neither part of a stack trace nor a
/// remark about the end itself. An error of the main thread comes first: other threads fail after it. If the Java runtime has
/// failed, its own reason. Empty if there is no such line.
std::string reason_in(std::string_view log);

enum class StartResult { ready, port_taken };

/// A ZooKeeper server on a given port: its folder, its Java process, and the watchdog of both. It can be started and ended
/// several times. The destructor kills the server. The folder has the configuration and the log, and the data unless the user
/// has named a folder for it. The watchdog removes the folder.
class ServerProcess {
public:
    /// Writes the files. Does not start the server. With a membership, it is a server of a cluster. Throws std::runtime_error
    /// if the properties set a value that ServerOptions has a field for.
    ServerProcess(ServerOptions options, std::uint16_t port, std::optional<Membership> membership = std::nullopt);
    ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    /// The folder of the server's files and certificates.
    const std::filesystem::path& folder() const noexcept { return folder_; }
    const std::filesystem::path& data() const noexcept { return data_; }
    bool data_is_temporary() const noexcept { return options_.data_dir.empty(); }
    std::uint16_t port() const noexcept { return port_; }
    /// The port for TLS. Throws std::runtime_error without one.
    std::uint16_t tls_port() const;
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
    /// A port of this server that another program listens on. Call it while the server does not run. Ignores tls_port().
    std::optional<std::uint16_t> taken_port() const;
    void end(int signal) noexcept;
    void pause() noexcept;
    void resume() noexcept;

    /// Throws std::runtime_error with this text and the end of the server's log.
    [[noreturn]] void fail(const std::string& what) const;

private:
    std::filesystem::path log_file() const { return folder_ / "server.log"; }
    void write_configuration() const;
    /// The class path ends with the folder, so that the server's `envi` identifies the server.
    std::vector<std::string> command_line() const;
    bool answers_as_ours() const;
    /// Removes a transaction log without a header: the server was killed while it created the log. The log is empty, and
    /// ZooKeeper 3.8 does not start with it (ZOOKEEPER-2332).
    void remove_logs_without_header() const noexcept;

    const ServerOptions options_;
    const std::optional<Membership> membership_;
    std::filesystem::path data_;
    const std::optional<PortLease> tls_lease_;
    const std::filesystem::path folder_; // only the watchdog removes it, so nothing in between may fail
    Watchdog watchdog_;
    std::uint16_t port_;
    ChildProcess process_;
    bool paused_ = false;
};

struct TestingServer::Impl {
    /// A single server. Without a port in the options it leases one.
    explicit Impl(const ServerOptions& options)
        : lease(options.port == 0 ? std::optional<PortLease>(std::in_place) : std::nullopt),
          process(options, lease ? lease->port() : options.port) {}
    /// A server of a cluster. The cluster leases the ports.
    Impl(const ServerOptions& options, const Membership& membership)
        : process(options, membership.own_ports().client, membership) {}

    void start_on_any_port();

    const posix::ProcessMark owner; // a child of this process does not touch the server
    std::optional<PortLease> lease;
    ServerProcess process;
};

} // namespace docent::testing
