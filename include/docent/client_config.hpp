// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>
#include <docent/retry_policy.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace docent {

/// How a Client reaches its ensemble. Every field has a default that suits a server on this machine.
struct ClientConfig {
    /// Servers and an optional chroot: `host:port,host:port/chroot`. A port may be left out (2181); an IPv6 address stands in
    /// brackets: `[::1]:2181`. Names are resolved when the client starts and again while no server answers.
    std::string connect_string = "127.0.0.1:2181";

    /// Session timeout asked for; the servers clamp it to [2, 20] of their ticks. At least one second.
    std::chrono::milliseconds session_timeout = std::chrono::seconds{10};

    /// How long an operation waits for a connection before it fails with `error::not_connected`.
    std::chrono::milliseconds connection_timeout = std::chrono::seconds{15};

    /// When operations whose reply was lost are tried again.
    RetryPolicy retry_policy = RetryPolicy::exponential_backoff(std::chrono::milliseconds{100}, 5, std::chrono::seconds{5});

    /// Prefix of all paths, without slash in front: with `app`, `/a` is ZooKeeper's `/app/a`. Made when it is first needed.
    std::string name_space = {};

    /// Credentials, presented in this order on every connection.
    std::vector<AuthInfo> auth = {};

    /// ACL of nodes made without one of their own.
    Acl default_acl = open_acl();

    /// Text in the nodes of locks, for people who look at them; empty: this machine's IP address, as Curator does.
    std::string holder = {};

    friend bool operator==(const ClientConfig&, const ClientConfig&) = default;
};

} // namespace docent
