// SPDX-License-Identifier: Apache-2.0
#include "view/real_terminal.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <utility>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

constexpr auto longest = 90s;
constexpr auto pause = 50ms; // each look is a process

std::string quoted(const std::string& word) { // without quotes in it
    return "'" + word + "'";
}

} // namespace

RealTerminal::RealTerminal(const std::vector<std::string>& words, const std::string& connect, int columns, int lines, Jobs jobs)
    : server_(std::make_unique<DocentProcess>(
          DocentProcess::Setting{// In the foreground, and so our child: it ends with us.
                                 .words = {"-u", "-f", "/dev/null", "-S", (folder_ / "socket").string(), "-D"},
                                 .connect = connect,
                                 .program = "tmux"})) {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(folder_ / "socket"); }));
    std::string command = "unset NO_COLOR LC_CTYPE; export LC_ALL=C.UTF-8; echo before; " + quoted(DOCENT_BINARY);
    for (const auto& word : words) command += " " + quoted(word);
    if (jobs == Jobs::controlled) command = "set -m; " + command + "; echo suspended; read enter; fg >/dev/null";
    command += "; echo ended $?; exec cat"; // which keeps the terminal
    tmux({"new-session", "-d", "-x", std::to_string(columns), "-y", std::to_string(lines), command});
    tmux({"set-option", "-g", "status", "off"});
    resize(columns, lines);
}

RealTerminal::~RealTerminal() {
    tmux({"kill-server"});
}

std::string RealTerminal::tmux(std::vector<std::string> words) const {
    words.insert(words.begin(), {"-u", "-S", (folder_ / "socket").string()});
    DocentProcess client({.words = std::move(words), .program = "tmux"});
    client.exit_status();
    return client.output();
}

std::string RealTerminal::screen() const {
    return tmux({"capture-pane", "-p"});
}

bool RealTerminal::shows(const std::string& text) const {
    const bool seen = eventually([&] { return screen().find(text) != std::string::npos; }, longest, pause);
    EXPECT_TRUE(seen) << "not shown: " << text << "\nbut:\n" << screen();
    return seen;
}

void RealTerminal::press(const std::vector<std::string>& keys) const {
    std::vector<std::string> words{"send-keys"};
    words.insert(words.end(), keys.begin(), keys.end());
    tmux(std::move(words));
}

void RealTerminal::resize(int columns, int lines) const {
    tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(lines)});
}

bool RealTerminal::ended(int status) const {
    const auto last = "before\nended " + std::to_string(status) + "\n";
    const bool seen = eventually([&] { return screen().starts_with(last); }, longest, pause);
    EXPECT_TRUE(seen) << screen();
    return seen;
}

} // namespace docent::test
