// SPDX-License-Identifier: Apache-2.0
#include "cli/top/curses_terminal.hpp"

#include "cli/arguments/parse.hpp"
#include "cli/view/terminal.hpp"

#include <clocale>
#include <string>
#include <string_view>

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NCURSES_NOMACROS // NOLINT: its names are too common
#include <curses.h>

namespace docent::cli {
namespace {

constexpr int escape_delay = 50; // ms until an Esc byte alone counts as the key Esc; other keys send their bytes at once

[[noreturn]] void refuse(const std::string& why) {
    throw UsageError("top: " + why + "; docent top --once prints it once, without a screen");
}

enum Pair : short { titles_pair = 1, warning_pair, free_pair, hint_pair };

} // namespace

struct CursesTerminal::Screen {
    SCREEN* screen = nullptr;
    bool colours = false;
};

CursesTerminal::CursesTerminal() : screen_(std::make_unique<Screen>()) {
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0) refuse("there is no terminal");
    const std::string name = name_of_terminal();
    if (name.empty()) refuse("TERM does not say which terminal this is");
    if (!can_redraw()) refuse("a terminal '" + name + "' cannot be drawn on");
    std::setlocale(LC_CTYPE, "");
    screen_->screen = ::newterm(name.c_str(), stdout, stdin);
    if (screen_->screen == nullptr) refuse("'" + name + "' is no terminal that ncurses knows");
    ::set_term(screen_->screen);
    ::set_escdelay(escape_delay);
    ::cbreak();
    ::noecho();
    ::nonl();
    ::keypad(stdscr, TRUE);
    ::nodelay(stdscr, TRUE);
    ::curs_set(0);
    screen_->colours = wants_colours() && ::has_colors() && ::start_color() == OK;
    if (!screen_->colours) return;
    ::use_default_colors();
    ::init_pair(titles_pair, COLOR_CYAN, -1);
    ::init_pair(warning_pair, COLOR_YELLOW, -1);
    ::init_pair(free_pair, COLOR_BLUE, -1);
    ::init_pair(hint_pair, COLOR_CYAN, -1);
}

CursesTerminal::~CursesTerminal() {
    ::endwin();
    ::delscreen(screen_->screen);
}

Charset CursesTerminal::charset() const {
    return std::string_view(::nl_langinfo(CODESET)) == "UTF-8" ? Charset::utf8 : Charset::ascii;
}

ScreenSize CursesTerminal::size() const {
    const int lines = ::getmaxy(stdscr);
    const int columns = ::getmaxx(stdscr);
    return {static_cast<std::size_t>(lines > 0 ? lines : 0), static_cast<std::size_t>(columns > 0 ? columns : 0)};
}

void CursesTerminal::resize() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return;
    ::resizeterm(size.ws_row, size.ws_col);
    ::clearok(stdscr, TRUE);
}

void CursesTerminal::draw(const std::vector<ScreenLine>& lines) {
    const auto attributes = [&](Style style) -> attr_t {
        const auto pair = [&](Pair number) { return screen_->colours ? static_cast<attr_t>(COLOR_PAIR(number)) : A_NORMAL; };
        switch (style) {
        case Style::plain: return A_NORMAL;
        case Style::titles: return A_BOLD | pair(titles_pair);
        case Style::selected: return A_REVERSE;
        case Style::free: return screen_->colours ? pair(free_pair) : A_DIM;
        case Style::warning: return A_BOLD | pair(warning_pair);
        case Style::hint: return pair(hint_pair);
        }
        return A_NORMAL;
    };
    ::werase(stdscr);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        ::wattrset(stdscr, static_cast<int>(attributes(lines[i].style)));
        ::wmove(stdscr, static_cast<int>(i), 0);
        ::waddnstr(stdscr, lines[i].text.c_str(), -1);
    }
    ::wattrset(stdscr, A_NORMAL);
    ::wrefresh(stdscr);
}

std::optional<KeyPress> CursesTerminal::key() {
    const int code = ::wgetch(stdscr);
    switch (code) {
    case ERR: return std::nullopt;
    case KEY_RESIZE: return key(); // nobody has typed it: resizeterm() leaves it among the keys
    case KEY_UP: return KeyPress{Key::up};
    case KEY_DOWN: return KeyPress{Key::down};
    case KEY_PPAGE: return KeyPress{Key::page_up};
    case KEY_NPAGE: return KeyPress{Key::page_down};
    case KEY_HOME: return KeyPress{Key::home};
    case KEY_END: return KeyPress{Key::end};
    case KEY_ENTER:
    case '\r':
    case '\n': return KeyPress{Key::enter};
    case KEY_LEFT:
    case 0x1b: return KeyPress{Key::escape};
    case KEY_BACKSPACE:
    case 0x7f:
    case '\b': return KeyPress{Key::backspace};
    default: break;
    }
    if (code < 0x20 || code > 0xff) return KeyPress{Key::letter}; // does nothing
    return KeyPress{Key::letter, std::string(1, static_cast<char>(code))};
}

} // namespace docent::cli
