// SPDX-License-Identifier: Apache-2.0

#include "cli/view/terminal.hpp"
#include "cli/messages.hpp"
#include "cli/signals.hpp"

#include <boost/algorithm/string/case_conv.hpp>

#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <utility>
#include <vector>

namespace docent::cli {
namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// The character set that setlocale() would choose. The program's locale does not change, so numbers keep their format.
Charset charset_of_locale() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view locale = variable(name);
        if (locale.empty()) continue;
        for (const std::string_view utf8 : {"UTF-8", "utf8", "utf-8", "UTF8"}) {
            if (locale.find(utf8) != std::string_view::npos) return Charset::utf8;
        }
        return Charset::ascii;
    }
    return Charset::ascii;
}

// The sequences of xterm and its successors for a second screen, without a cursor and without line wrapping.
constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view leave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::string_view home = "\x1b[H";
constexpr std::string_view end_of_line = "\x1b[K";
constexpr std::string_view end_of_screen = "\x1b[J";

std::size_t lines_of_terminal() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

} // namespace

std::string name_of_terminal() {
    return std::string(variable("TERM"));
}

bool can_redraw() {
    const auto name = name_of_terminal();
    return !name.empty() && name != "dumb";
}

bool wants_colours() {
    return variable("NO_COLOR").empty() && can_redraw();
}

std::optional<Page> page_of_output() {
    if (::isatty(STDOUT_FILENO) == 0) return std::nullopt;
    Page page{.columns = 80, .charset = charset_of_locale(), .colours = wants_colours()};
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) page.columns = size.ws_col;
    return page;
}

std::string redrawn(std::string_view text, std::size_t lines) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    const bool fits = all.size() <= lines;
    const std::size_t shown = fits ? all.size() : lines > 0 ? lines - 1 : 0;
    std::string out(home);
    for (std::size_t i = 0; i < shown; ++i) out += (i > 0 ? "\r\n" : "") + all[i] + std::string(end_of_line);
    if (!fits && lines > 0) {
        out += (shown > 0 ? "\r\n" : "") + ("... and " + std::to_string(all.size() - shown) + " lines more") +
               std::string(end_of_line);
    }
    return out + std::string(end_of_screen);
}

void Redrawing::end() noexcept {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(entered_, false)) return;
    std::fwrite(leave.data(), 1, leave.size(), stdout); // if the terminal has gone, the error does not matter
    std::fflush(stdout);
}

void Redrawing::draw(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(entered_, true)) print(enter);
    last_ = text;
    print(redrawn(last_, lines_of_terminal()));
}

void Redrawing::suspend() {
    const std::lock_guard lock(mutex_);
    if (entered_) print(leave);
    Signals::stop();
    if (entered_) print(std::string(enter) + redrawn(last_, lines_of_terminal()));
}

bool can_ask() {
    return ::isatty(STDIN_FILENO) != 0;
}

bool user_agrees(const std::string& question) {
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    std::cerr << question << " [y/N] " << std::flush;
    std::string answer;
    return std::getline(std::cin, answer) && is_yes(answer);
}

bool is_yes(std::string answer) {
    std::erase_if(answer, [](unsigned char c) { return std::isspace(c) != 0; });
    boost::algorithm::to_lower(answer);
    return answer == "y" || answer == "yes";
}

} // namespace docent::cli
