// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/view/inspection_table.hpp"

#include <optional>
#include <string>

namespace docent::cli {

/// The properties of standard output if it is a terminal: its width, the locale's character set, and colours unless `NO_COLOR`
/// is set or the terminal is dumb. Nothing if it is not a terminal.
std::optional<Page> page_of_output();

/// The value of $TERM; empty without one.
std::string name_of_terminal();

/// False if `NO_COLOR` is set or the terminal is dumb.
bool wants_colours();

/// Whether the terminal can be redrawn: it has a name and is not dumb.
bool can_redraw();

} // namespace docent::cli
