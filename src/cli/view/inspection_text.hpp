// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/arguments/command.hpp"
#include "cli/view/inspection_table.hpp"

#include <docent/recipes/inspection.hpp>

#include <optional>
#include <string>
#include <vector>

namespace docent::cli {

/// The output in the command's format: JSON; a table on a terminal (with a page); else a line for each participant, for
/// scripts. `locks`: the strangers that are locks themselves; nothing if they were not examined.
std::string inspection_text(const Inspection& inspection, const InspectCommand& command, const std::optional<Page>& page,
                            const std::optional<std::vector<std::string>>& locks = std::nullopt);

} // namespace docent::cli
