// SPDX-License-Identifier: Apache-2.0
#include "testing/process/child_process.hpp"

#include "posix/unique_fd.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace docent::testing {

using namespace std::chrono_literals;

namespace {

UniqueFd open_null() {
    UniqueFd fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
    if (!fd) throw std::system_error(errno, std::generic_category(), "/dev/null");
    return fd;
}

/// Everything between fork() and exec() is async-signal-safe, as in a program with other threads it must be.
struct ChildPlan {
    char** arguments;
    int input;
    int output;
    int announce_to;
    int report_to; // gets errno when exec fails; closed by a successful exec
};

void reset_signals() noexcept {
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr); // fails for SIGKILL and the like
    sigset_t none;
    ::sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void announce(int fd) noexcept {
    std::array<char, 24> text{};
    char* begin = text.data() + text.size();
    *--begin = '\n';
    for (auto rest = static_cast<unsigned>(::getpid()); rest > 0; rest /= 10) *--begin = static_cast<char>('0' + rest % 10);
    static_cast<void>(::send(fd, begin, static_cast<std::size_t>(text.data() + text.size() - begin), MSG_NOSIGNAL));
}

void close_all_on_exec() noexcept {
    if (::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0) return;
    const auto limit = static_cast<int>(::sysconf(_SC_OPEN_MAX)); // before Linux 5.11
    for (int fd = 3; fd < limit; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/// dup2 keeps close-on-exec when both are the same, and the source may be one of the three targets already.
void take_as(int target, int fd) noexcept {
    if (fd == target) {
        ::fcntl(fd, F_SETFD, 0);
    } else {
        ::dup2(fd, target);
    }
}

[[noreturn]] void run_child(const ChildPlan& plan) noexcept {
    ::setsid();
    reset_signals();
    if (plan.announce_to >= 0) announce(plan.announce_to);
    const int input = ::fcntl(plan.input, F_DUPFD_CLOEXEC, 3); // out of the way of the targets
    const int output = ::fcntl(plan.output, F_DUPFD_CLOEXEC, 3);
    const int report_to = ::fcntl(plan.report_to, F_DUPFD_CLOEXEC, 3);
    take_as(STDIN_FILENO, input);
    take_as(STDOUT_FILENO, output);
    take_as(STDERR_FILENO, output);
    close_all_on_exec();
    ::execv(plan.arguments[0], plan.arguments);
    const int error = errno;
    static_cast<void>(!::write(report_to, &error, sizeof error));
    ::_exit(127);
}

/// No handler of the host program may run in the child.
class AllSignalsBlocked {
public:
    AllSignalsBlocked() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

pid_t fork_and_run(const ChildPlan& plan) {
    const AllSignalsBlocked guard;
    const pid_t pid = ::fork();
    if (pid == 0) run_child(plan);
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "fork");
    return pid;
}

int read_exec_error(int fd) {
    int error = 0;
    ssize_t n = 0;
    do {
        n = ::read(fd, &error, sizeof error);
    } while (n < 0 && errno == EINTR);
    return n == sizeof error ? error : 0;
}

} // namespace

ChildProcess::ChildProcess(const ChildCommand& command) {
    std::vector<char*> arguments;
    for (const auto& argument : command.arguments) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    const UniqueFd null = open_null();
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    const UniqueFd report(ends[0]);
    UniqueFd report_to(ends[1]);
    const ChildPlan plan{arguments.data(), command.standard_input < 0 ? null.get() : command.standard_input,
                         command.standard_output < 0 ? null.get() : command.standard_output, command.announce_to,
                         report_to.get()};
    pid_ = fork_and_run(plan);
    report_to.reset();
    if (const int error = read_exec_error(report.get()); error != 0) {
        wait_ended(10s);
        throw std::runtime_error("cannot execute " + command.arguments.front() + ": " + std::generic_category().message(error));
    }
}

/// True when it has ended. ECHILD: the host program ignores SIGCHLD or has waited for all its children.
bool ChildProcess::collect(int options) noexcept {
    if (pid_ == 0) return true;
    int status = 0;
    const pid_t result = ::waitpid(pid_, &status, WNOHANG | options);
    if (result == 0 || (result < 0 && errno == EINTR)) return false;
    if (result == pid_ && WIFSTOPPED(status)) {
        stopped_ = true;
        return false;
    }
    if (result == pid_) wait_status_ = status;
    pid_ = 0;
    return true;
}

bool ChildProcess::poll_running() noexcept {
    return !collect(0);
}

bool ChildProcess::wait_ended(std::chrono::milliseconds timeout) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!collect(0)) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

void ChildProcess::send(int signal) const noexcept {
    if (pid_ > 0) ::kill(pid_, signal);
}

void ChildProcess::pause(std::chrono::milliseconds timeout) noexcept {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    stopped_ = false;
    send(SIGSTOP);
    while (!stopped_ && !collect(WUNTRACED) && std::chrono::steady_clock::now() < deadline) std::this_thread::sleep_for(1ms);
}

std::string ChildProcess::end_description() const {
    if (pid_ > 0) return "still runs";
    if (!wait_status_) return "ended";
    if (WIFEXITED(*wait_status_)) return "ended with status " + std::to_string(WEXITSTATUS(*wait_status_));
    return "was ended by signal " + std::to_string(WTERMSIG(*wait_status_));
}

} // namespace docent::testing
