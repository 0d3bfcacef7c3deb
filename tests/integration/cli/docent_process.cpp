// SPDX-License-Identifier: Apache-2.0
#include "docent_process.hpp"

#include "eventually.hpp"
#include "posix/descriptors.hpp"
#include "posix/spawn.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::test {
namespace {

/// Changes to the environment of the tests: removes the settings of the user who runs them.
std::vector<std::string> changes_for(const std::string& connect) {
    std::vector<std::string> changes;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with("DOCENT_")) changes.emplace_back(text.substr(0, text.find('=')));
    }
    if (!connect.empty()) changes.push_back("DOCENT_CONNECT=" + connect);
    return changes;
}

posix::UniqueFd opened(const std::filesystem::path& file, int flags) {
    posix::UniqueFd fd(::open(file.c_str(), flags | O_CLOEXEC, 0600));
    if (!fd) throw posix::last_error(file.c_str());
    return fd;
}

} // namespace

std::string read_file(const std::filesystem::path& file) {
    return posix::read_file(file.string()).value_or(""); // std::ifstream throws if a process of /proc ends meanwhile
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

DocentProcess::DocentProcess(Setting setting) {
    std::ofstream(folder_ / "in", std::ios::binary) << setting.input;
    std::vector<std::string> words = std::move(setting.words);
    words.insert(words.begin(), setting.program);
    const auto input = opened(folder_ / "in", O_RDONLY);
    const auto output = opened(folder_ / "out", O_WRONLY | O_CREAT | O_APPEND);
    const auto errors = opened(folder_ / "err", O_WRONLY | O_CREAT | O_APPEND);
    const posix::Spawned spawned =
        posix::spawn_detached(posix::ProgramImage(std::move(words), changes_for(setting.connect)),
                              {.input = input.get(), .output = output.get(), .errors = errors.get()});
    pid_ = spawned.pid;
    if (spawned.error == 0) return;
    ::waitpid(pid_, nullptr, 0);
    throw std::system_error(spawned.error, std::generic_category(), setting.program);
}

DocentProcess::~DocentProcess() {
    const bool runs = running();
    if (testing::Test::HasFailure())
        std::cout << "Process " << pid_ << (runs ? " still runs" : " has ended") << ", output:\n"
                  << output() << "\nmessages:\n"
                  << errors() << '\n';
    if (!runs) return;
    send(SIGKILL);
    send(SIGCONT);
    ::waitpid(pid_, nullptr, 0);
}

void DocentProcess::send(int signal) const {
    if (!wait_status_) ::kill(pid_, signal);
}

bool DocentProcess::collect() {
    int status = 0;
    if (!wait_status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) wait_status_ = status;
    return wait_status_.has_value();
}

bool DocentProcess::running() {
    return !collect();
}

int DocentProcess::exit_status(std::chrono::seconds patience) {
    if (!eventually([&] { return collect(); }, patience)) {
        ADD_FAILURE() << "it still runs; it said: " << output() << errors();
        return -1;
    }
    return WIFSIGNALED(*wait_status_) ? 128 + WTERMSIG(*wait_status_) : WEXITSTATUS(*wait_status_);
}

std::string DocentProcess::output() const {
    return read_file(folder_ / "out");
}

std::string DocentProcess::errors() const {
    return read_file(folder_ / "err");
}

} // namespace docent::test
