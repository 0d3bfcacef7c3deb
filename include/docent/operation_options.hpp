// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>
#include <docent/compression.hpp>
#include <docent/create_mode.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace docent {

/// Stands for any version where an operation takes the version that a node must have.
/// @ingroup client
inline constexpr std::int32_t any_version = -1;

/// How a create treats a node that exists already.
/// @ingroup client
enum class IfExists {
    fail,        ///< The create fails with `node_exists`.
    accept,      ///< The create succeeds for any node. `Created::stat` is all zeros if the caller may not read the node.
    accept_same, ///< The create succeeds if the node has the same data and owner session, and was never changed: Curator's
                 ///< `idempotent`. Otherwise the create fails with `node_exists`.
    set_data,    ///< The create replaces the node's data: Curator's `orSetData`.
};

/// Options of Client::create.
/// ```cpp
/// docent::CreateOptions options{.mode = docent::CreateMode::ephemeral_sequential,
///                               .protection = docent::Protection::protected_,
///                               .parents = docent::Parents::container};
/// docent::Created member = client.create("/members/m-", "host1:8080", options);
/// ```
/// @ingroup client
struct CreateOptions {
    CreateMode mode = CreateMode::persistent; ///< How long the node lives and how it is named.
    /// Whether the client resolves a lost reply, by a unique prefix of the node's name.
    Protection protection = Protection::none;
    /// Whether and how the create makes missing parents.
    Parents parents = Parents::fail;
    /// The node's ACL; if empty, `ClientConfig::acl_provider` and then `ClientConfig::default_acl` decide.
    Acl acl = {};
    /// The ACL of parents that the create makes; if empty, chosen as for `acl`.
    Acl parents_acl = {};
    /// For the modes with TTL: the server removes a node without children that was unchanged for this time.
    ///
    /// Must be positive and below 2^40 ms. The servers must have TTL nodes enabled.
    std::chrono::milliseconds ttl{0};
    IfExists if_exists = IfExists::fail; ///< How the create treats a node that exists already.
    /// For `IfExists::set_data`: the version that the existing node must have; the error is `bad_version`.
    std::int32_t set_version = any_version;
    Compression compression = Compression::client_default; ///< Whether the client compresses the data.
};

/// Options of Client::get and Client::get_watched.
/// ```cpp
/// docent::NodeData raw = client.get("/page", {docent::Compression::none});
/// ```
/// @ingroup client
struct GetOptions {
    Compression compression = Compression::client_default; ///< Whether the client decompresses the data.
};

/// How a set treats a node that has a version other than the required one.
/// @ingroup client
enum class IfChanged {
    fail,        ///< The set fails with `bad_version`.
    accept_same, ///< The set succeeds if the node has the next version and the same data (Curator's `idempotent`): either this
                 ///< set was applied and its reply lost, or another client did the same. Otherwise it fails with `bad_version`.
};

/// Options of Client::set.
/// ```cpp
/// docent::NodeData now = client.get("/config");
/// docent::SetOptions options{.version = now.stat.version};
/// client.set("/config", now.data + "\nb=2", options);
/// ```
/// @ingroup client
struct SetOptions {
    /// The version that the node must have.
    std::int32_t version = any_version;
    IfChanged if_changed = IfChanged::fail;                ///< How the set treats a node of another version.
    Compression compression = Compression::client_default; ///< Whether the client compresses the data.
};

/// How a remove treats the node's children.
/// @ingroup client
enum class RemoveChildren {
    no,  ///< A node with children makes the remove fail with `not_empty`.
    yes, ///< The remove also removes all nodes below, also new ones; the steps are not atomic.
};

/// How a remove treats a missing node.
/// @ingroup client
enum class IfMissing {
    fail,   ///< The remove fails with `no_node`.
    accept, ///< The remove succeeds: Curator's `quietly` and `idempotent`.
};

/// Whether the client continues a remove after the call has failed with a lost reply.
/// @ingroup client
enum class Guarantee {
    none,       ///< The remove ends with the call.
    background, ///< The client continues in the background until the outcome is certain or the client is closed. It removes
                ///< only the node itself, and leaves the node if it has children then. The call fails nevertheless.
};

/// Options of Client::remove.
/// ```cpp
/// docent::RemoveOptions options{.children = docent::RemoveChildren::yes,
///                               .if_missing = docent::IfMissing::accept};
/// client.remove("/jobs", options);
/// ```
/// @ingroup client
struct RemoveOptions {
    /// The version that the node itself must have.
    std::int32_t version = any_version;
    RemoveChildren children = RemoveChildren::no; ///< How the remove treats children.
    IfMissing if_missing = IfMissing::fail;       ///< How the remove treats a missing node.
    Guarantee guarantee = Guarantee::none;        ///< Whether the client continues after a lost reply or a cancellation.
};

/// A change of the ensemble, in the syntax of ZooKeeper's dynamic configuration.
/// ```cpp
/// docent::Reconfiguration change{.joining = "server.4=zk4:2888:3888;2181"};
/// docent::NodeData ensemble = client.reconfigure(change);
/// ```
/// Set either `joining` and `leaving`, or `members`; otherwise the error is `bad_arguments`.
/// @ingroup client
struct Reconfiguration {
    /// Servers to add, or to replace by number, separated by commas: `server.4=host:2888:3888:participant;2181`.
    std::string joining = {};
    std::string leaving = {}; ///< Numbers of the servers to remove, separated by commas.
    std::string members = {}; ///< All servers of the new ensemble, separated by commas.
    /// The version of the configuration that this change replaces; -1 for any version.
    ///
    /// The line `version=` of Client::ensemble_config() shows the version as a hexadecimal number.
    std::int64_t from_version = -1;
};

} // namespace docent
