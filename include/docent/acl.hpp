// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace docent {

/// The operations that an ACL entry allows: a sum of bits, joined by `|`.
/// @ingroup client
enum class Permission : std::int32_t {
    read = 1,    ///< Read the node's data and list its children.
    write = 2,   ///< Replace the node's data.
    create = 4,  ///< Create children of the node.
    delete_ = 8, ///< Delete children of the node.
    admin = 16,  ///< Replace the node's ACL.
    all = 31     ///< All of the above.
};

/// Joins two sets of permissions.
/// @ingroup client
constexpr Permission operator|(Permission a, Permission b) noexcept {
    return static_cast<Permission>(static_cast<std::int32_t>(a) | static_cast<std::int32_t>(b));
}

/// One entry of a node's access control list: an identity and what it may do.
/// ```cpp
/// docent::AclEntry reader{docent::Permission::read, "world", "anyone"};
/// docent::AclEntry owner{docent::Permission::all, "auth", ""};
/// docent::Acl acl{owner, reader};
/// ```
/// @ingroup client
struct AclEntry {
    Permission permissions = Permission::all; ///< The operations that the entry allows.
    std::string scheme = "world";             ///< ZooKeeper's scheme: `world`, `auth`, `digest`, `ip`, `x509` or `sasl`.
    std::string id = "anyone";                ///< The identity, in the form that the scheme has; empty for `auth`.

    /// Compares all fields.
    friend bool operator==(const AclEntry&, const AclEntry&) = default;
};

/// An access control list: an operation is allowed if any entry allows it.
/// @ingroup client
using Acl = std::vector<AclEntry>;

/// Returns the ACL that lets every client do everything: ZooKeeper's `OPEN_ACL_UNSAFE`.
/// @ingroup client
inline Acl open_acl() {
    return {AclEntry{}};
}

/// Returns the ACL that lets every client read, and nothing else: ZooKeeper's `READ_ACL_UNSAFE`.
/// @ingroup client
inline Acl read_only_acl() {
    return {{Permission::read, "world", "anyone"}};
}

/// Returns the ACL that lets the identities of the creating session do everything: ZooKeeper's `CREATOR_ALL_ACL`.
///
/// A session without credentials (`ClientConfig::auth`) gets the error `invalid_acl`.
/// @ingroup client
inline Acl creator_all_acl() {
    return {{Permission::all, "auth", ""}};
}

/// Chooses the ACL of each new node by its path. Derive from it and set `ClientConfig::acl_provider`.
/// ```cpp
/// struct TeamAcls : docent::AclProvider {
///     docent::Acl acl_for(const std::string& path) override {
///         if (!path.starts_with("/secret")) return {}; // the default
///         return docent::creator_all_acl();
///     }
/// };
/// ```
/// - Thread safety: the client makes one call at a time, on its executor or, without one, on its own thread.
/// - A call must neither block nor throw.
/// @ingroup client
class DOCENT_EXPORT AclProvider {
public:
    /// Allows a destruction through the base class.
    virtual ~AclProvider() = default;
    /// Returns the ACL for a new node at `path`; an empty list means `ClientConfig::default_acl`.
    ///
    /// `path` contains the namespace, but not the chroot. The path of a sequential node has no digits yet. The client also asks
    /// for missing parents that it creates.
    virtual Acl acl_for(const std::string& path) = 0;
};

/// Credentials that the client presents on every connection, before its first operation.
/// ```cpp
/// docent::AuthInfo alice{"digest", "alice:secret"};
/// ```
/// @ingroup client
struct AuthInfo {
    std::string scheme;      ///< ZooKeeper's scheme, for example `digest`.
    std::string credentials; ///< The secret in the form that the scheme has, for example `user:password`.

    /// Compares all fields.
    friend bool operator==(const AuthInfo&, const AuthInfo&) = default;
};

} // namespace docent
