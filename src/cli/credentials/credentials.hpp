// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/acl.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace docent::cli {

/// Parses `SCHEME:CREDENTIALS`, for example `digest:user:password`. Returns nothing if the text has another form.
std::optional<AuthInfo> parse_auth(std::string_view text);

/// Reads a file with one SCHEME:CREDENTIALS a line. Ignores empty lines, and lines that begin with `#`. Throws UsageError,
/// which names file and line, and never shows the line.
std::vector<AuthInfo> read_auth_file(const std::string& name);

/// A warning if other users of this machine can read a file with credentials; else empty.
std::string warning_about(const std::string& file);

/// Overwrites the value of `--auth`, which every user of this machine can see in the list of processes. Words after `--` belong
/// to CMD and stay.
void hide_credentials(int argc, char** argv);

} // namespace docent::cli
