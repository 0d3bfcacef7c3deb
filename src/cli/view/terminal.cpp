// SPDX-License-Identifier: Apache-2.0
#include "cli/view/terminal.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

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

} // namespace docent::cli
