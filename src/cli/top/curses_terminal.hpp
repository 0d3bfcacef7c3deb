// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/top/top_screen.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace docent::cli {

/// The terminal as ncurses drives it. Nothing here decides anything.
class CursesTerminal {
public:
    /// Throws UsageError, which says what else can be done, if there is no terminal, or none that ncurses knows.
    CursesTerminal();
    /// The terminal shows what it showed before.
    ~CursesTerminal();
    CursesTerminal(const CursesTerminal&) = delete;
    CursesTerminal& operator=(const CursesTerminal&) = delete;

    Charset charset() const;
    ScreenSize size() const;
    /// After the terminal's size has changed.
    void resize();
    void draw(const std::vector<ScreenLine>& lines);
    /// What was typed and not asked for yet; never waits.
    std::optional<KeyPress> key();

private:
    struct Screen;
    std::unique_ptr<Screen> screen_;
};

} // namespace docent::cli
