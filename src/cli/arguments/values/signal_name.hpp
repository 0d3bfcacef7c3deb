// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace docent::cli {

/// `TERM`, `SIGTERM` or `15`. Nothing if it is none, or one that does not end a program by itself.
std::optional<int> parse_signal(std::string_view text);

} // namespace docent::cli
