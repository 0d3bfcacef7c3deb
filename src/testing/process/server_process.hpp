// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/membership.hpp"
#include "testing/process/child_process.hpp"
#include "testing/process/watchdog.hpp"
#include "testing/server_files.hpp"

#include <docent/testing/testing_server.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace docent::testing {

enum class StartResult { ready, port_taken };

/// A ZooKeeper server on a given port: its files, its Java process, and the watchdog over both. It can be started and ended
/// again and again. The destructor kills it.
class ServerProcess {
public:
    /// Writes the files; nothing runs yet. With a membership it is one server of a cluster.
    ServerProcess(ServerOptions options, std::uint16_t port, std::optional<Membership> membership = std::nullopt);
    ~ServerProcess();
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;

    const ServerFiles& files() const noexcept { return files_; }
    std::uint16_t port() const noexcept { return port_; }
    /// Another port from the next launch on.
    void use_port(std::uint16_t port);
    /// 0 when it does not run.
    int pid() noexcept { return running() ? process_.pid() : 0; }
    bool running() noexcept;
    bool paused() const noexcept { return paused_; }

    /// launch() and wait_until_answers().
    StartResult start();
    /// Starts the process and does not wait; `port_taken` when somebody listens there.
    StartResult launch();
    /// Waits until it answers at its port: one that stands alone, when it serves clients; one of a cluster as soon as it runs,
    /// because serving takes a quorum. Throws std::runtime_error when it ends instead.
    StartResult wait_until_answers();
    /// One of its ports that somebody listens on while it does not run.
    std::optional<std::uint16_t> taken_port() const;
    void end(int signal) noexcept;
    void pause() noexcept;
    void resume() noexcept;

    /// Throws std::runtime_error with this text and the end of the log.
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
