// SPDX-License-Identifier: Apache-2.0
#include "cli/view/redrawing.hpp"

#include "cli/messages.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace docent::cli {
namespace {

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

/// Stops this process as SIGTSTP does by default. In an orphaned process group, where no shell could continue it, it does
/// nothing.
void stop_by_terminal() {
    sigset_t stop;
    sigset_t before;
    ::sigemptyset(&stop);
    ::sigaddset(&stop, SIGTSTP);
    ::pthread_kill(::pthread_self(), SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stop, &before);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace

std::string redrawn(std::string_view text, std::size_t lines) {
    std::vector<std::string_view> all;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        all.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    const bool fits = all.size() <= lines;
    const std::size_t shown = fits ? all.size() : lines > 0 ? lines - 1 : 0;
    std::string out(home);
    for (std::size_t i = 0; i < shown; ++i) out += (i > 0 ? "\r\n" : "") + std::string(all[i]) + std::string(end_of_line);
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
    stop_by_terminal();
    if (entered_) print(std::string(enter) + redrawn(last_, lines_of_terminal()));
}

} // namespace docent::cli
