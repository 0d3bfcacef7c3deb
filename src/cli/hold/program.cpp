// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/program.hpp"

#include "cli/hold/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

namespace docent::cli {
namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::string_view name_of(std::string_view entry) {
    return entry.substr(0, entry.find('='));
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
    std::vector<std::string> all = more;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const bool replaced =
            std::any_of(more.begin(), more.end(), [&](const std::string& m) { return name_of(m) == name_of(*entry); });
        if (!replaced) all.emplace_back(*entry);
    }
    return all;
}

/// Everything between fork() and exec() is async-signal-safe, as in a process with other threads it must be (glibc's execvpe
/// is, since 2.24).
[[noreturn]] void become(char** words, char** environment, const sigset_t& mask, pid_t parent, int report_to) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1); // it died before the line above
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    ::execvpe(words[0], words, environment);
    const int error = errno;
    static_cast<void>(!::write(report_to, &error, sizeof error));
    ::_exit(1);
}

int read_error(int fd) {
    int error = 0;
    ssize_t count = 0;
    do {
        count = ::read(fd, &error, sizeof error);
    } while (count < 0 && errno == EINTR);
    return count == sizeof error ? error : 0; // nothing: closed by a successful exec
}

} // namespace

Program::Program(const std::vector<std::string>& words, const std::vector<std::string>& more_environment,
                 const sigset_t& mask) {
    const auto environment = environment_with(more_environment);
    auto word_pointers = pointers_to(words);
    auto environment_pointers = pointers_to(environment);
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    const Descriptor report(ends[0]);
    Descriptor report_to(ends[1]);

    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) become(word_pointers.data(), environment_pointers.data(), mask, parent, report_to.get());

    report_to.reset();
    start_error_ = read_error(report.get());
    if (start_error_ != 0) ::waitpid(pid_, nullptr, 0);
}

std::optional<int> Program::poll_ended() {
    int status = 0;
    if (!wait_status_ && ::waitpid(pid_, &status, WNOHANG) == pid_) wait_status_ = status;
    return wait_status_;
}

void Program::send(int signal) const noexcept {
    if (!wait_status_) ::kill(pid_, signal);
}

} // namespace docent::cli
