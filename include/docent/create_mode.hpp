// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace docent {

/// How a znode lives and is named, as in ZooKeeper's CreateMode.
enum class CreateMode {
    persistent,
    persistent_sequential,         ///< The server appends ten digits that grow.
    ephemeral,                     ///< Goes with the session that made it.
    ephemeral_sequential,          ///< Both.
    container,                     ///< The server removes it some time after its last child went.
    persistent_with_ttl,           ///< Removed after `ttl` without change and without children.
    persistent_sequential_with_ttl ///< Both.
};

constexpr bool is_sequential(CreateMode mode) noexcept {
    return mode == CreateMode::persistent_sequential || mode == CreateMode::ephemeral_sequential ||
           mode == CreateMode::persistent_sequential_with_ttl;
}

constexpr bool is_ephemeral(CreateMode mode) noexcept {
    return mode == CreateMode::ephemeral || mode == CreateMode::ephemeral_sequential;
}

constexpr bool has_ttl(CreateMode mode) noexcept {
    return mode == CreateMode::persistent_with_ttl || mode == CreateMode::persistent_sequential_with_ttl;
}

/// Whether missing parents are made, and how.
enum class Parents {
    fail,       ///< A missing parent is the error `no_node`.
    container,  ///< Make them as containers: the server removes them when they are empty. Curator's recipes do this.
    persistent, ///< Make them as persistent nodes.
};

/// Whether a create survives the loss of its reply.
enum class Protection {
    none,      ///< A lost reply of a sequential create is reported as `outcome_unknown`.
    protected_ ///< The name gets `_c_<uuid>-` in front, by which the node is found again after a lost reply.
};

} // namespace docent
