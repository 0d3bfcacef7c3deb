// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testing/membership.hpp"

#include <docent/testing/testing_server.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace docent::testing {

/// The folder of one TestingServer: configuration, log, and the data unless the user said where. Made by the constructor;
/// removing it is the watchdog's task.
class ServerFiles {
public:
    explicit ServerFiles(const ServerOptions& options);

    const std::filesystem::path& folder() const noexcept { return folder_; }
    const std::filesystem::path& data() const noexcept { return data_; }
    bool data_is_temporary() const noexcept { return data_is_temporary_; }
    std::filesystem::path log() const { return folder_ / "server.log"; }

    /// Throws std::runtime_error when the options set what has a field of its own.
    void write_configuration(const ServerOptions& options, std::uint16_t port,
                             const std::optional<Membership>& membership) const;
    /// Program and arguments that run the server. The class path ends with folder(), so that its `envi` tells it from others.
    std::vector<std::string> command_line(const ServerOptions& options, const std::optional<Membership>& membership) const;
    /// Removes a transaction log in whose making the server was killed. It holds nothing, and ZooKeeper 3.8 does not start with
    /// it (ZOOKEEPER-2332).
    void remove_logs_without_header() const noexcept;
    std::string log_tail() const;

private:
    std::filesystem::path folder_;
    std::filesystem::path data_;
    bool data_is_temporary_;
};

} // namespace docent::testing
