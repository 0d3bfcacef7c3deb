// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace docent {

/// The metadata of a node, as ZooKeeper stores it.
/// ```cpp
/// if (std::optional<docent::Stat> stat = client.exists("/config")) {
///     bool unchanged = stat->version == 0;
///     bool ephemeral = stat->ephemeral_owner != 0;
/// }
/// ```
/// Times are milliseconds since 1970 by the server's clock. A transaction id (zxid) grows with every change in the ensemble.
/// @ingroup client
struct Stat {
    std::int64_t czxid = 0;           ///< Id of the transaction that created the node.
    std::int64_t mzxid = 0;           ///< Id of the transaction that last changed the data.
    std::int64_t ctime = 0;           ///< Time when the node was created.
    std::int64_t mtime = 0;           ///< Time when the data last changed.
    std::int32_t version = 0;         ///< Number of changes to the data.
    std::int32_t cversion = 0;        ///< Number of changes to the list of children.
    std::int32_t aversion = 0;        ///< Number of changes to the ACL.
    std::int64_t ephemeral_owner = 0; ///< Id of the session that owns an ephemeral node; 0 for other nodes.
    std::int32_t data_length = 0;     ///< Size of the data in bytes.
    std::int32_t num_children = 0;    ///< Number of children.
    std::int64_t pzxid = 0;           ///< Id of the transaction that last changed the list of children.

    /// Compares all fields.
    friend bool operator==(const Stat&, const Stat&) = default;
};

} // namespace docent
