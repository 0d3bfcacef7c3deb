// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>
#include <docent/compression.hpp>
#include <docent/create_mode.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace docent {

/// For versions: whatever it is.
inline constexpr std::int32_t any_version = -1;

/// What a create does about a node that is there already.
enum class IfExists {
    fail,        ///< `node_exists`.
    accept,      ///< Succeeds, whatever the node is. If the caller may not read it, `Created::stat` is one of zeros.
    accept_same, ///< Succeeds if the node has the same data, was never changed, and belongs to the session that the create
                 ///< would have given it: Curator's `idempotent`. Else `node_exists`.
    set_data,    ///< Replaces its data: Curator's `orSetData`.
};

/// How a node is made.
struct CreateOptions {
    CreateMode mode = CreateMode::persistent;
    /// Whether a lost reply is resolved by a name that nobody else can have.
    Protection protection = Protection::none;
    /// Whether missing parents are made.
    Parents parents = Parents::fail;
    /// Empty: what `ClientConfig::acl_provider` says, else `ClientConfig::default_acl`.
    Acl acl = {};
    /// ACL of the parents made on the way; empty: as above.
    Acl parents_acl = {};
    /// For the modes with TTL: the node goes when it was left unchanged for so long. Servers must have TTL nodes enabled.
    std::chrono::milliseconds ttl{0};
    IfExists if_exists = IfExists::fail;
    /// For `IfExists::set_data`: the version that the existing node must have. Error else: `bad_version`.
    std::int32_t set_version = any_version;
    Compression compression = Compression::client_default;
};

/// How a node is read.
struct GetOptions {
    Compression compression = Compression::client_default;
};

/// What a set does about a node that has another version.
enum class IfChanged {
    fail,        ///< `bad_version`.
    accept_same, ///< Succeeds if the node has the next version and the same data: this set was applied and its reply lost, or
                 ///< another one did the same (Curator's `idempotent`). Else `bad_version`.
};

/// How a node's data is replaced.
struct SetOptions {
    /// The version that the node must have.
    std::int32_t version = any_version;
    IfChanged if_changed = IfChanged::fail;
    Compression compression = Compression::client_default;
};

/// What a remove does about children.
enum class RemoveChildren {
    no,  ///< `not_empty`.
    yes, ///< Removes them and theirs, too: not atomically, and also those made meanwhile.
};

/// What a remove does about a node that is not there.
enum class IfMissing {
    fail,   ///< `no_node`.
    accept, ///< Succeeds: Curator's `quietly`, `idempotent`.
};

/// What becomes of a remove whose outcome its caller never learns.
enum class Guarantee {
    none,
    background, ///< It goes on in the background until it is certain, or the client closed: for the node itself, which is left
                ///< if it has children then. The call fails nevertheless.
};

/// How a node is removed.
struct RemoveOptions {
    /// The version that the node itself must have.
    std::int32_t version = any_version;
    RemoveChildren children = RemoveChildren::no;
    IfMissing if_missing = IfMissing::fail;
    Guarantee guarantee = Guarantee::none;
};

/// A change of the ensemble, in the syntax of ZooKeeper's dynamic configuration. Either `joining` and `leaving`, or `members`.
struct Reconfiguration {
    std::string joining = {}; ///< `server.4=host:2888:3888:participant;2181`, comma separated: added, or replaced by number.
    std::string leaving = {}; ///< Numbers of servers, comma separated.
    std::string members = {}; ///< All servers from now on, comma separated.
    /// Version of the configuration that it changes, as in the line `version=` of ensemble_config(), from hexadecimal; -1: any.
    std::int64_t from_version = -1;
};

} // namespace docent
