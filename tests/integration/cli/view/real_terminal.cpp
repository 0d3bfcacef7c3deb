// SPDX-License-Identifier: Apache-2.0
#include "view/real_terminal.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

namespace docent::test {
namespace {

using namespace std::chrono_literals;

constexpr auto longest = 90s;
constexpr auto pause = 50ms; // each look starts a process

std::string quoted(const std::string& word) { // the word must not contain quotes
    return "'" + word + "'";
}

} // namespace

RealTerminal::RealTerminal(const std::vector<std::string>& words, const std::string& connect, int columns, int lines, Jobs jobs)
    : server_(std::make_unique<DocentProcess>(
          DocentProcess::Setting{// In the foreground, so that it is a child of this process and ends with it.
                                 .words = {"-u", "-f", "/dev/null", "-S", (folder_ / "socket").string(), "-D"},
                                 .connect = connect,
                                 .program = "tmux"})) {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(folder_ / "socket"); }));
    std::string command = "unset NO_COLOR LC_CTYPE; export LC_ALL=C.UTF-8; echo before; " + quoted(DOCENT_BINARY);
    for (const auto& word : words) command += " " + quoted(word);
    if (jobs == Jobs::controlled) command = "set -m; " + command + "; echo suspended; read enter; fg >/dev/null";
    command += "; echo ended $?; exec cat"; // keeps the terminal open
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

bool RealTerminal::shows_without(const std::string& text, const std::string& other) const {
    const auto seen = [&] {
        const std::string now = screen();
        return now.find(text) != std::string::npos && now.find(other) == std::string::npos;
    };
    const bool in_time = eventually(seen, longest, pause);
    EXPECT_TRUE(in_time) << "not shown: " << text << "\nwithout: " << other << "\nbut:\n" << screen();
    return in_time;
}

void RealTerminal::press(const std::vector<std::string>& keys) const {
    std::vector<std::string> words{"send-keys"};
    words.insert(words.end(), keys.begin(), keys.end());
    tmux(std::move(words));
}

void RealTerminal::resize(int columns, int lines) const {
    tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(lines)});
}

void RealTerminal::hold_output() const {
    set_flow(TCOOFF);
}

void RealTerminal::let_output_go_on() const {
    set_flow(TCOON);
}

void RealTerminal::set_flow(int action) const {
    std::string name = tmux({"display-message", "-p", "#{pane_tty}"});
    name.erase(name.find_last_not_of('\n') + 1);
    const int terminal = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    EXPECT_EQ(::tcflow(terminal, action), 0) << name;
    ::close(terminal);
}

void RealTerminal::send(int signal) const {
    EXPECT_EQ(::kill(docent(), signal), 0);
}

bool RealTerminal::runs_docent() const {
    return docent() > 0;
}

/// The process id of the shell's child in the terminal; 0 if there is none.
pid_t RealTerminal::docent() const {
    const std::string shell = std::to_string(std::stol(tmux({"display-message", "-p", "#{pane_pid}"})));
    pid_t pid = 0;
    std::ifstream("/proc/" + shell + "/task/" + shell + "/children") >> pid;
    return pid;
}

bool RealTerminal::ended(int status) const {
    const auto last = "before\nended " + std::to_string(status) + "\n";
    const bool seen = eventually([&] { return screen().starts_with(last); }, longest, pause);
    EXPECT_TRUE(seen) << screen();
    return seen;
}

} // namespace docent::test
