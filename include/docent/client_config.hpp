// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>
#include <docent/compression.hpp>
#include <docent/create_mode.hpp>
#include <docent/ensemble_provider.hpp>
#include <docent/error_policy.hpp>
#include <docent/heartbeats.hpp>
#include <docent/retry_policy.hpp>
#include <docent/tls.hpp>
#include <docent/tracing/tracer.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent {

/// The configuration of a Client. Each field has a default that suits a server on this machine.
/// ```cpp
/// docent::ClientConfig config{.connect_string = "zk1:2181,zk2:2181,zk3:2181",
///                             .session_timeout = 10s,
///                             .name_space = "billing"};
/// docent::Client billing{config};
/// billing.start();
/// ```
/// Client::start() checks the configuration. It throws `error::invalid_config` for a bad field and names the field.
/// @ingroup client
struct ClientConfig {
    /// The servers, with an optional chroot: `host:port,host:port/chroot`.
    ///
    /// The default port is 2181. Write an IPv6 address in brackets: `[::1]:2181`. The client resolves names at the start and
    /// again while no server answers.
    std::string connect_string = "127.0.0.1:2181";

    /// The session timeout that the client asks for: one second to one day.
    ///
    /// The servers limit it to 2 to 20 of their ticks; Client::negotiated_timeout() returns the result.
    std::chrono::milliseconds session_timeout = std::chrono::seconds{10};

    /// How often the client sends heartbeats, and how long a lock survives an outage.
    Heartbeats heartbeats = Heartbeats::frequent;

    /// How long an operation waits for a connection before it fails; must be positive.
    ///
    /// The error is `error::not_connected`, or `server_error::operation_timeout` if the operation has sent a request that may
    /// have been applied. A waiter that has its place in the queue of a lock keeps the place and waits on.
    std::chrono::milliseconds connection_timeout = std::chrono::seconds{15};

    /// When the client sends a request again after a lost reply. CallOptions::retry_policy replaces it for one call.
    RetryPolicy retry_policy = RetryPolicy::exponential_backoff(std::chrono::milliseconds{100}, 5, std::chrono::seconds{5});

    /// A prefix for all paths: with `app` or `/app`, `/a` is the node `/app/a`; empty for none.
    ///
    /// The client creates the prefix when an operation first needs it.
    std::string name_space = {};

    /// Credentials that the client presents in this order on every connection.
    std::vector<AuthInfo> auth = {};

    /// The ACL of new nodes, and of new parents, that have no other ACL; must not be empty. A client that waits for locks needs
    /// READ on its own nodes.
    Acl default_acl = open_acl();

    /// Chooses the ACL of new nodes by path, before `default_acl`; may be null.
    std::shared_ptr<AclProvider> acl_provider = nullptr;

    /// How the client creates missing parents of locks, transaction markers and namespaces; must not be `Parents::fail`.
    ///
    /// Persistent parents stay for ever. Some servers have no containers (ZooKeeper before 3.5, ClickHouse Keeper). There the
    /// client creates persistent parents and calls Tracer::on_warning().
    Parents own_parents = Parents::container;

    /// The data of nodes that are created without data, lock nodes included; by default this machine's IP address, as in
    /// Curator.
    std::optional<std::string> default_data = {};

    /// The meaning of `Compression::client_default`. It also applies to transactions and to `default_data`.
    Compression compression = Compression::none;
    /// A compression method in place of gzip; may be null.
    std::shared_ptr<CompressionProvider> compression_provider = nullptr;

    /// Connections use TLS with these files and checks; without a value, only if `connect_string` begins with `tls://`.
    std::optional<TlsConfig> tls = {};

    /// Whether the client follows a reconfiguration of the ensemble.
    EnsembleTracking ensemble_tracking = EnsembleTracking::on;
    /// Names the servers in place of `connect_string`; may be null. With a provider, only the chroot of `connect_string`
    /// counts.
    std::shared_ptr<EnsembleProvider> ensemble_provider = nullptr;

    /// Which session states end a lease, in addition to `lost` and `closed`; null means ErrorPolicy::session().
    std::shared_ptr<const ErrorPolicy> error_policy = nullptr;

    /// Receives each finished operation, session event and lease event; may be null.
    std::shared_ptr<Tracer> tracer = nullptr;

    /// Compares all fields; providers, policy and tracer are equal if they are the same object.
    friend bool operator==(const ClientConfig&, const ClientConfig&) = default;
};

} // namespace docent
