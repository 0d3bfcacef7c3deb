// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/view/inspection_table.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

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

/// The bytes that write `text` over the screen of a terminal with `lines` lines. The last line counts the lines that do not
/// fit. Pure.
std::string redrawn(std::string_view text, std::size_t lines);

/// A second screen of the terminal, from the first drawing on. The destructor restores the first screen.
class Redrawing {
public:
    Redrawing() = default;
    ~Redrawing() { end(); }
    Redrawing(const Redrawing&) = delete;
    Redrawing& operator=(const Redrawing&) = delete;

    void draw(std::string_view text);
    void end() noexcept;
    /// Restores the terminal and stops this program. When it continues, draws the last text again. May be called from any
    /// thread.
    void suspend();

private:
    std::mutex mutex_;
    bool entered_ = false;
    std::string last_;
};

/// Whether standard input is a terminal.
bool can_ask();

/// Asks on standard error and reads the answer from the terminal. Discards earlier input.
bool user_agrees(const std::string& question);

/// Whether an answer means yes: `y` or `yes`, in upper or lower case.
bool is_yes(std::string answer);

} // namespace docent::cli
