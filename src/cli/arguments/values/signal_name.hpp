// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace docent::cli {

/// Parses `TERM`, `SIGTERM` or `15`. Returns nothing if it is no signal, or if the signal does not end a program by default.
std::optional<int> parse_signal(std::string_view text);

} // namespace docent::cli
