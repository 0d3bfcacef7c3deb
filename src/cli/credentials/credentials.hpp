// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// `SCHEME:CREDENTIALS`, such as `digest:user:password`; nothing if it does not look like that.
std::optional<AuthInfo> parse_auth(std::string_view text);

/// A file with one of these a line; empty lines, and lines that begin with `#`, are passed over. Throws UsageError, which names
/// file and line and never shows what stands there.
std::vector<AuthInfo> read_auth_file(const std::string& name);

/// What to say about a file with credentials that everybody on this machine can read; empty if nobody else can.
std::string warning_about(const std::string& file);

/// Overwrites what was typed for `--auth`, which everybody on this machine could see in the list of processes. What follows
/// `--` is another program's.
void hide_credentials(int argc, char** argv);

} // namespace docent::cli
