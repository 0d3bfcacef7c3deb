// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace docent {

/// Metadata of a znode, as ZooKeeper keeps it. Times are milliseconds since 1970 on the server's clock.
struct Stat {
    std::int64_t czxid = 0;           ///< Transaction that created the node.
    std::int64_t mzxid = 0;           ///< Transaction that last changed its data.
    std::int64_t ctime = 0;           ///< Time of creation.
    std::int64_t mtime = 0;           ///< Time of the last change of its data.
    std::int32_t version = 0;         ///< Number of changes of its data.
    std::int32_t cversion = 0;        ///< Number of changes of its list of children.
    std::int32_t aversion = 0;        ///< Number of changes of its ACL.
    std::int64_t ephemeral_owner = 0; ///< Session id of the owner; 0 if the node is not ephemeral.
    std::int32_t data_length = 0;     ///< Bytes of data.
    std::int32_t num_children = 0;    ///< Number of children.
    std::int64_t pzxid = 0;           ///< Transaction that last changed its list of children.

    friend bool operator==(const Stat&, const Stat&) = default;
};

} // namespace docent
