// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/process_mark.hpp"
#include "testing/port_lease.hpp"
#include "testing/process/server_process.hpp"

#include <docent/testing/testing_server.hpp>

#include <optional>

namespace docent::testing {

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
