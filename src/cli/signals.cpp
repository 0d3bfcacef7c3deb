// SPDX-License-Identifier: Apache-2.0
#include "cli/signals.hpp"

#include "cli/messages.hpp"
#include "posix/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <utility>

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

/// The signal that has come while no Signals object lived; 0 if none has.
std::atomic<int> came_between{0};
static_assert(std::atomic<int>::is_always_lock_free);

void keep_for_next(int number) {
    came_between = number;
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
    if (const int number = came_between.exchange(0)) ::kill(::getpid(), number); // it is blocked now, so it can be read
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
    sigset_t stop_signal;
    sigset_t before;
    ::sigemptyset(&stop_signal);
    ::sigaddset(&stop_signal, SIGTSTP);
    ::raise(SIGTSTP);
    ::pthread_sigmask(SIG_UNBLOCK, &stop_signal, &before);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

SignalsBetween::SignalsBetween() {
    for (int number = 1; number <= SIGRTMAX; ++number) {
        struct sigaction before {};
        if (!ends_a_wait(number) || ::sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
        struct sigaction keep {};
        keep.sa_handler = keep_for_next;
        keep.sa_flags = SA_RESTART;
        ::sigaction(number, &keep, nullptr);
        kept_.push_back(number);
    }
}

SignalsBetween::~SignalsBetween() {
    for (const int number : kept_) ::signal(number, SIG_DFL);
    if (const int number = came_between.exchange(0)) ::raise(number);
}

StopOnSignal::StopOnSignal(std::initializer_list<int> numbers, BlockedOutput blocked_output, std::function<void()> suspend)
    : signals_(numbers), blocked_output_(blocked_output), suspend_(std::move(suspend)),
      listener_(posix::start_quiet_thread([this] { listen(); })) {}

StopOnSignal::~StopOnSignal() {
    end_.raise();
    listener_.join();
}

void StopOnSignal::listen() {
    constexpr std::chrono::milliseconds longest_block{1000};
    while (!end_.raised()) {
        const bool may_end = received_ != 0 && blocked_output_ == BlockedOutput::ends_process;
        posix::wait_readable({signals_.fd(), end_.fd()}, may_end ? std::optional(longest_block) : std::nullopt);
        if (const auto signal = signals_.next()) {
            if (signal->number == SIGTSTP && suspend_) {
                suspend_();
                continue;
            }
            received_ = signal->number;
            stop_.request_stop();
        } else if (may_end && !end_.raised() && !takes_text(STDOUT_FILENO)) {
            ::_exit(exit_code::by_signal(received_)); // without destructors, which could block in a write
        }
    }
}

void pause_for(std::chrono::milliseconds length, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, length, [] { return false; });
}

} // namespace docent::cli
