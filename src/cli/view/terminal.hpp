// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/view/inspection_table.hpp"

#include <optional>

namespace docent::cli {

/// What standard output can show if it is a terminal: its width, the locale's letters, and colours unless `NO_COLOR` is set or
/// the terminal is dumb. Nothing if it is none.
std::optional<Page> page_of_output();

/// Whether the terminal can be written over (it has a name, and is not dumb).
bool can_redraw();

} // namespace docent::cli
