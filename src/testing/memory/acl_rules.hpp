// SPDX-License-Identifier: Apache-2.0
#pragma once

// ZooKeeper's rules for access control lists.

#include <docent/acl.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::detail {

/// The ACL of a node. Null: every client may do everything.
using TreeAcl = std::shared_ptr<const Acl>;

/// An identity of a client. Each client also has the identity `world:anyone`.
struct Identity {
    std::string scheme;
    std::string id;
    friend bool operator==(const Identity&, const Identity&) = default;
};

/// Returns whether the ACL gives this permission to a client with these identities.
bool allows(const TreeAcl& acl, Permission permission, const std::vector<Identity>& identities = {});

/// Returns the entries as a server stores them: an entry `auth` stands for each digest of the client, and no entry is twice in
/// the list. Returns nothing for an ACL that a server refuses as invalid.
std::optional<Acl> stored_acl(const Acl& acl, const std::vector<Identity>& identities);

/// Returns the ACL as a server shows it to a client that may read the node and has not the permission `admin`: without the
/// hashes of passwords.
Acl without_hashes(Acl acl);

/// Returns the identity of a client that presents `user:password` in the scheme `digest`.
Identity digest_identity(std::string_view credentials);

} // namespace docent::detail
