// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace docent {

/// What an ACL entry allows; a sum of these bits.
enum class Permission : std::int32_t { read = 1, write = 2, create = 4, delete_ = 8, admin = 16, all = 31 };

constexpr Permission operator|(Permission a, Permission b) noexcept {
    return static_cast<Permission>(static_cast<std::int32_t>(a) | static_cast<std::int32_t>(b));
}

/// One entry of a znode's access control list.
struct AclEntry {
    Permission permissions = Permission::all;
    std::string scheme = "world"; ///< world, auth, digest, ip, x509, sasl
    std::string id = "anyone";

    friend bool operator==(const AclEntry&, const AclEntry&) = default;
};

using Acl = std::vector<AclEntry>;

/// Everybody may do everything: ZooKeeper's OPEN_ACL_UNSAFE.
inline Acl open_acl() {
    return {AclEntry{}};
}

/// ACLs by path, for nodes made without one of their own. Called on the client's executor, one at a time; must neither block
/// nor throw.
class DOCENT_EXPORT AclProvider {
public:
    virtual ~AclProvider() = default;
    /// The ACL of the node at `path`, which has the namespace but not the chroot; parents made on the way are asked for too,
    /// and for a sequential node the path has no digits yet. Empty: `ClientConfig::default_acl`.
    virtual Acl acl_for(const std::string& path) = 0;
};

/// Credentials that every session presents before its first operation, e.g. {"digest", "user:password"}.
struct AuthInfo {
    std::string scheme;
    std::string credentials;

    friend bool operator==(const AuthInfo&, const AuthInfo&) = default;
};

} // namespace docent
