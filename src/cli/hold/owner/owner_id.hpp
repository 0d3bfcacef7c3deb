// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace docent::cli {

/// What a CMD finds in its environment: the owner of the locks that it runs under. A docent that CMD runs waits below it.
inline constexpr const char* owner_variable = "DOCENT_OWNER";

/// `inherited/own`, or `own` alone without one. Nothing if it would be too long, or what was inherited cannot be an owner: the
/// session has to tell then.
std::optional<std::string> owner_below(std::string_view inherited, std::string_view own);

/// Whether a docent that holds locks has started us.
bool is_below_a_holder();

/// Of this process, by its environment: always the same.
const std::optional<std::string>& own_owner();

} // namespace docent::cli
