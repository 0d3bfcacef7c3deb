// SPDX-License-Identifier: Apache-2.0
#pragma once

// Access control lists as ZooKeeper's own command writes them: `world:anyone:r,auth::cdrwa`. Pure.

#include <docent/acl.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// Entries between commas, each `SCHEME:ID:PERMISSIONS`; an ID may contain colons. Permissions are letters of `cdrwa`: create,
/// delete, read, write, admin. Nothing if the text is not that.
std::optional<Acl> parse_acl(std::string_view text);

std::string to_text(const AclEntry& entry);

} // namespace docent::cli
