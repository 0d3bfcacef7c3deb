// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/signals.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <sys/signalfd.h>
#include <unistd.h>

namespace docent::cli {
namespace {

bool is_one_of(int number, std::initializer_list<int> numbers) {
    return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

bool is_ignored(int number) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

/// Drops a pending signal: the kernel does so when the signal's action becomes SIG_IGN.
void drop_pending(int number) {
    struct sigaction before {};
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(number, &ignore, &before);
    ::sigaction(number, &before, nullptr);
}

sigset_t only(int number) {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, number);
    return set;
}

} // namespace

std::vector<int> signals_for_commands() {
    std::vector<int> numbers;
    for (int number = 1; number <= SIGRTMAX; ++number) {
        const bool uncatchable = is_one_of(number, {SIGKILL, SIGSTOP});
        const bool of_a_fault = is_one_of(number, {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS});
        const bool of_docent = is_one_of(number, {SIGCHLD, SIGTTIN, SIGTTOU});
        const bool of_libc = number > SIGSYS && number < SIGRTMIN;
        if (!uncatchable && !of_a_fault && !of_docent && !of_libc) numbers.push_back(number);
    }
    return numbers;
}

bool asks_to_end(int number) {
    return is_one_of(number, {SIGTERM, SIGINT, SIGQUIT});
}

bool ends_a_wait(int number) {
    return asks_to_end(number) || is_one_of(number, {SIGHUP, SIGALRM, SIGABRT});
}

/// The kernel sends a hang-up to the session's leader only, so it is passed on. An alarm may have been set before docent was
/// executed.
std::optional<ReceivedSignal> received_signal(int number, int code, pid_t sender, pid_t self) {
    if (code <= 0) { // sent by a process, or by a write of ours
        return number == SIGPIPE && sender == self ? std::nullopt : std::optional(ReceivedSignal{number, false});
    }
    if (is_one_of(number, {SIGINT, SIGQUIT, SIGTSTP, SIGWINCH})) return ReceivedSignal{number, true};
    return is_one_of(number, {SIGHUP, SIGALRM, SIGTERM}) ? std::optional(ReceivedSignal{number, false}) : std::nullopt;
}

Signals::Signals(const std::vector<int>& numbers) {
    ::sigemptyset(&wanted_);
    for (const int number : numbers) {
        if (!is_ignored(number)) ::sigaddset(&wanted_, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &wanted_, &mask_before_);
    descriptor_ = posix::UniqueFd(::signalfd(-1, &wanted_, SFD_CLOEXEC | SFD_NONBLOCK));
    if (descriptor_.get() < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Signals::~Signals() {
    for (int number = 1; number <= SIGRTMAX; ++number) {
        if (::sigismember(&wanted_, number) == 1 && !ends_a_wait(number) && number != SIGTSTP) drop_pending(number);
    }
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::optional<ReceivedSignal> Signals::next() {
    signalfd_siginfo info{};
    while (::read(descriptor_.get(), &info, sizeof info) == sizeof info) {
        const auto received =
            received_signal(static_cast<int>(info.ssi_signo), info.ssi_code, static_cast<pid_t>(info.ssi_pid), ::getpid());
        if (received) return received;
    }
    return std::nullopt;
}

std::optional<int> Signals::next_to_end() {
    while (const auto signal = next()) {
        if (ends_a_wait(signal->number)) return signal->number;
        if (signal->number == SIGTSTP) stop();
    }
    return std::nullopt;
}

void Signals::stop() {
    const sigset_t stop_signal = only(SIGTSTP);
    sigset_t before;
    ::raise(SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stop_signal, &before);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace docent::cli
