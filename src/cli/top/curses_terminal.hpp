// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/top/top_screen.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace docent::cli {

/// A terminal driven by ncurses. It decides nothing.
class CursesTerminal {
public:
    /// Throws UsageError, with advice, if there is no terminal, or if ncurses does not know it.
    CursesTerminal();
    /// Restores the terminal's earlier screen.
    ~CursesTerminal();
    CursesTerminal(const CursesTerminal&) = delete;
    CursesTerminal& operator=(const CursesTerminal&) = delete;

    Charset charset() const;
    ScreenSize size() const;
    /// Call it after the terminal's size has changed.
    void resize();
    void draw(const std::vector<ScreenLine>& lines);
    /// The next key that was typed; nothing if there is none. Never waits.
    std::optional<KeyPress> key();

private:
    struct Screen;
    std::unique_ptr<Screen> screen_;
};

} // namespace docent::cli
