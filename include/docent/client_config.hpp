// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>
#include <docent/compression.hpp>
#include <docent/create_mode.hpp>
#include <docent/ensemble_provider.hpp>
#include <docent/error_policy.hpp>
#include <docent/retry_policy.hpp>
#include <docent/tracing/tracer.hpp>

#include <chrono>
#include <memory>
#include <optional>
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

    /// How long an operation waits for a connection before it fails, with `error::not_connected` unless it is in doubt
    /// (error.hpp).
    std::chrono::milliseconds connection_timeout = std::chrono::seconds{15};

    /// When operations whose reply was lost are tried again.
    RetryPolicy retry_policy = RetryPolicy::exponential_backoff(std::chrono::milliseconds{100}, 5, std::chrono::seconds{5});

    /// Prefix of all paths, without slash in front: with `app`, `/a` is ZooKeeper's `/app/a`. Made when it is first needed.
    std::string name_space = {};

    /// Credentials, presented in this order on every connection.
    std::vector<AuthInfo> auth = {};

    /// ACL of nodes made without one of their own, and of parents made on the way.
    Acl default_acl = open_acl();

    /// Knows better than `default_acl` for some paths. May be empty, as all providers here.
    std::shared_ptr<AclProvider> acl_provider = nullptr;

    /// How missing parents of locks, of transactions' markers, and of namespaces are made. Persistent ones stay for ever. A
    /// server that makes no containers (before 3.5, ClickHouse Keeper) gets persistent ones; Tracer::on_warning() tells of it.
    Parents own_parents = Parents::container;

    /// Data of nodes made without any, those of locks among them; without it this machine's IP address, as Curator does.
    std::optional<std::string> default_data = {};

    /// What `Compression::client_default` means; transactions and default data follow it too.
    Compression compression = Compression::none;
    /// Instead of gzip.
    std::shared_ptr<CompressionProvider> compression_provider = nullptr;

    /// Whether a changed ensemble is followed.
    EnsembleTracking ensemble_tracking = EnsembleTracking::on;
    /// Names the servers instead of `connect_string`, which then only counts for its chroot.
    std::shared_ptr<EnsembleProvider> ensemble_provider = nullptr;

    /// Which states of the session end the holding of a lock besides `lost` and `closed`; empty: ErrorPolicy::session().
    std::shared_ptr<const ErrorPolicy> error_policy = nullptr;

    /// Is told of each operation and each session event.
    std::shared_ptr<Tracer> tracer = nullptr;

    friend bool operator==(const ClientConfig&, const ClientConfig&) = default;
};

} // namespace docent
