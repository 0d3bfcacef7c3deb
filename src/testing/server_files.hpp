// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/testing_cluster.hpp"

#include <docent/testing/testing_server.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

/// The folder of a TestingServer, with its configuration and log, and with its data unless the user has named a folder. The
/// constructor makes the folder; the watchdog removes it.
class ServerFiles {
public:
    explicit ServerFiles(const ServerOptions& options);

    const std::filesystem::path& folder() const noexcept { return folder_; }
    const std::filesystem::path& data() const noexcept { return data_; }
    bool data_is_temporary() const noexcept { return data_is_temporary_; }
    std::filesystem::path log() const { return folder_ / "server.log"; }

    /// Throws std::runtime_error if the properties set a value that ServerOptions has a field for.
    void write_configuration(const ServerOptions& options, std::uint16_t port,
                             const std::optional<Membership>& membership) const;
    /// The command line of the server. Its class path ends with folder(), so that the server's `envi` identifies it.
    std::vector<std::string> command_line(const ServerOptions& options, const std::optional<Membership>& membership) const;
    /// Removes a transaction log without a header: the server was killed while it created the log. The log is empty, and
    /// ZooKeeper 3.8 does not start with it (ZOOKEEPER-2332).
    void remove_logs_without_header() const noexcept;
    std::string log_tail() const;

private:
    std::filesystem::path folder_;
    std::filesystem::path data_;
    bool data_is_temporary_;
};

} // namespace docent::testing
