// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/view/inspection_table.hpp"

#include <docent/recipes/inspection.hpp>

#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

/// As the command wants it: JSON; on a terminal (with a page) a table; else a line for each, for scripts. `locks`: which
/// of the strangers are locks of their own; nothing if nobody has looked.
std::string inspection_text(const Inspection& inspection, const InspectCommand& command, const std::optional<Page>& page,
                            const std::optional<std::vector<std::string>>& locks = std::nullopt);

} // namespace docent::cli
