// SPDX-License-Identifier: Apache-2.0
#include "docent_process.hpp"

#include "eventually.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

namespace docent::test {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environment_for(const std::string& connect) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) { // nothing that is set for whoever runs the tests
        if (!std::string_view(*entry).starts_with("DOCENT_")) result.emplace_back(*entry);
    }
    if (!connect.empty()) result.push_back("DOCENT_CONNECT=" + connect);
    return result;
}

/// Signals as a login shell hands them on, whatever whoever runs the tests has done to ours.
void set_signals(posix_spawnattr_t* attributes) {
    sigset_t set;
    ::sigemptyset(&set);
    ::posix_spawnattr_setsigmask(attributes, &set);
    for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD, SIGPIPE}) ::sigaddset(&set, number);
    ::posix_spawnattr_setsigdefault(attributes, &set);
    ::posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

} // namespace

Folder::Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "docent-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

bool is_alive(pid_t pid) {
    const auto stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    const auto name_end = stat.rfind(") ");
    return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

DocentProcess::DocentProcess(Setting setting) {
    std::ofstream(folder_ / "in", std::ios::binary) << setting.input;
    std::vector<std::string> words = std::move(setting.words);
    words.insert(words.begin(), setting.program);
    const auto environment = environment_for(setting.connect);

    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, 0, (folder_ / "in").c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, 1, (folder_ / "out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_addopen(&files, 2, (folder_ / "err").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    set_signals(&attributes);
    const int error = ::posix_spawnp(&pid_, setting.program.c_str(), &files, &attributes, pointers_to(words).data(),
                                     pointers_to(environment).data());
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    if (error != 0) throw std::system_error(error, std::generic_category(), setting.program);
}

DocentProcess::~DocentProcess() {
    if (!running()) return;
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

int DocentProcess::exit_status() {
    if (!eventually([&] { return collect(); }, std::chrono::seconds(60))) {
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
