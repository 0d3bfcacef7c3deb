// SPDX-License-Identifier: Apache-2.0
#include "posix/spawn.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>

namespace docent::posix {
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

std::vector<std::string> environment_with(const std::vector<std::string>& changes) {
    std::vector<std::string> all;
    const auto is_value = [](const std::string& change) { return change.find('=') != change.npos; };
    std::copy_if(changes.begin(), changes.end(), std::back_inserter(all), is_value);
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const auto has_that_name = [&](const std::string& change) { return name_of(change) == name_of(*entry); };
        if (std::none_of(changes.begin(), changes.end(), has_that_name)) all.emplace_back(*entry);
    }
    return all;
}

void reset_signal_actions() noexcept {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr); // fails for SIGKILL and the like
}

/// Signals that are ignored stay ignored, as nohup wants it.
void drop_signal_handlers() noexcept {
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::signal(number, SIG_DFL);
    }
}

void announce(int fd) noexcept {
    std::array<char, 24> text{};
    char* begin = text.data() + text.size();
    *--begin = '\n';
    for (auto rest = static_cast<unsigned>(::getpid()); rest > 0; rest /= 10) *--begin = static_cast<char>('0' + rest % 10);
    static_cast<void>(::send(fd, begin, static_cast<std::size_t>(text.data() + text.size() - begin), MSG_NOSIGNAL));
}

/// Sets the descriptors 0, 1 and 2. A source may be one of these numbers, so all sources are copied first. Returns false if no
/// descriptor is left; the caller reports that like an error of exec.
bool take_streams(int input, int output, int errors) noexcept {
    const int in = ::fcntl(input, F_DUPFD_CLOEXEC, 3);
    const int out = ::fcntl(output, F_DUPFD_CLOEXEC, 3);
    const int err = errors < 0 ? out : ::fcntl(errors, F_DUPFD_CLOEXEC, 3);
    return in >= 0 && out >= 0 && err >= 0 && ::dup2(in, STDIN_FILENO) >= 0 && ::dup2(out, STDOUT_FILENO) >= 0 &&
           ::dup2(err, STDERR_FILENO) >= 0;
}

void run_detached(const ProgramImage& image, const DetachedStart& start, int null, int report_to) noexcept {
    ::setsid();
    reset_signal_actions();
    if (start.announce_to >= 0) announce(start.announce_to);
    const int report = ::fcntl(report_to, F_DUPFD_CLOEXEC, 3);
    if (report < 0) return report_error(report_to, errno);
    if (!take_streams(start.input < 0 ? null : start.input, start.output < 0 ? null : start.output, start.errors)) {
        return report_error(report, errno);
    }
    close_descriptors(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    ::sigemptyset(&none);
    report_error(report, image.execute(none));
}

} // namespace

ProgramImage::ProgramImage(std::vector<std::string> words, const std::vector<std::string>& changes)
    : words_(std::move(words)), environment_(environment_with(changes)), word_pointers_(pointers_to(words_)),
      environment_pointers_(pointers_to(environment_)) {}

int ProgramImage::execute(const sigset_t& mask) const noexcept {
    drop_signal_handlers(); // otherwise a pending signal would run a handler of this program, and be lost
    ::pthread_sigmask(SIG_SETMASK, &mask, nullptr);
    ::execvpe(word_pointers_[0], word_pointers_.data(),
              environment_pointers_.data()); // glibc's is safe after a fork since 2.24
    return errno;
}

void die_with(pid_t parent) noexcept {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // cannot fail with a valid signal
    if (::getppid() != parent) ::raise(SIGKILL);
}

void report_error(int to, int error) noexcept {
    static_cast<void>(::send(to, &error, sizeof error, MSG_NOSIGNAL));
}

int read_reported_error(int from) noexcept {
    int error = 0;
    ssize_t count = 0;
    do {
        count = ::recv(from, &error, sizeof error, 0);
    } while (count < 0 && errno == EINTR);
    return count == sizeof error ? error : 0;
}

Spawned spawn_detached(const ProgramImage& image, const DetachedStart& start) {
    const UniqueFd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!null) throw last_error("/dev/null");
    Channel report = make_channel();
    Spawned spawned;
    spawned.pid = fork_child([&](const sigset_t&) { run_detached(image, start, null.get(), report.theirs.get()); });
    report.theirs.reset();
    spawned.error = read_reported_error(report.ours.get());
    return spawned;
}

} // namespace docent::posix
