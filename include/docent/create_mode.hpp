// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace docent {

/// How long a node lives and how it is named, as in ZooKeeper's `CreateMode`.
/// @ingroup client
enum class CreateMode {
    persistent,                    ///< The node stays until a client removes it.
    persistent_sequential,         ///< As `persistent`, and the server appends ten digits that grow.
    ephemeral,                     ///< The server removes the node when the session that created it ends.
    ephemeral_sequential,          ///< As `ephemeral`, and the server appends ten digits that grow.
    container,                     ///< The server removes the node some time after its last child is gone.
    persistent_with_ttl,           ///< The server removes a node without children that was unchanged for the TTL.
    persistent_sequential_with_ttl ///< As `persistent_with_ttl`, and the server appends ten digits that grow.
};

/// Returns whether the server appends digits to the name of a node of this mode.
/// @ingroup client
constexpr bool is_sequential(CreateMode mode) noexcept {
    return mode == CreateMode::persistent_sequential || mode == CreateMode::ephemeral_sequential ||
           mode == CreateMode::persistent_sequential_with_ttl;
}

/// Returns whether a node of this mode ends with the session that created it.
/// @ingroup client
constexpr bool is_ephemeral(CreateMode mode) noexcept {
    return mode == CreateMode::ephemeral || mode == CreateMode::ephemeral_sequential;
}

/// Returns whether this mode needs a TTL (CreateOptions::ttl).
/// @ingroup client
constexpr bool has_ttl(CreateMode mode) noexcept {
    return mode == CreateMode::persistent_with_ttl || mode == CreateMode::persistent_sequential_with_ttl;
}

/// Whether and how a create makes missing parents.
/// @ingroup client
enum class Parents {
    fail,       ///< A missing parent is the error `no_node`.
    container,  ///< Make containers, which the server removes when they are empty. Curator's recipes do this.
    persistent, ///< Make persistent nodes.
};

/// Whether the client can find the new node after the reply of a create was lost.
/// @ingroup client
enum class Protection {
    none,      ///< The create of a sequential node fails with `condition::outcome_unknown` if its reply is lost.
    protected_ ///< The name begins with `_c_<uuid>-`. After a lost reply the client looks for that name.
};

} // namespace docent
