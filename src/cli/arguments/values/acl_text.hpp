// SPDX-License-Identifier: Apache-2.0
#pragma once

// Access control lists in the form of ZooKeeper's zkCli.sh: `world:anyone:r,auth::cdrwa`. Pure.

#include <docent/acl.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// Parses entries `SCHEME:ID:PERMISSIONS` with commas in between; an ID may contain colons. Permissions are letters of `cdrwa`:
/// create, delete, read, write, admin. Returns nothing if the text has another form.
std::optional<Acl> parse_acl(std::string_view text);

std::string to_text(const AclEntry& entry);

} // namespace docent::cli
