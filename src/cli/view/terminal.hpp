// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/view/inspection_table.hpp"

#include <optional>
#include <string>

namespace docent::cli {

/// What standard output can show if it is a terminal: its width, the locale's letters, and colours unless `NO_COLOR` is set or
/// the terminal is dumb. Nothing if it is none.
std::optional<Page> page_of_output();

/// What $TERM says; empty if nothing.
std::string name_of_terminal();

/// Unless `NO_COLOR` is set or the terminal is dumb.
bool wants_colours();

/// Whether the terminal can be written over (it has a name, and is not dumb).
bool can_redraw();

} // namespace docent::cli
