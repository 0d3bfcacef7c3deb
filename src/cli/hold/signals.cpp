// SPDX-License-Identifier: Apache-2.0
#include "cli/hold/signals.hpp"

#include <cerrno>
#include <system_error>

#include <sys/signalfd.h>

namespace docent::cli {
namespace {

bool is_ignored(int number) {
    struct sigaction action {};
    ::sigaction(number, nullptr, &action);
    return action.sa_handler == SIG_IGN;
}

/// Only these two come from keys. A hang-up comes from the kernel too, but to the session's leader alone.
bool is_typed(int number) {
    return number == SIGINT || number == SIGQUIT;
}

} // namespace

Signals::Signals(std::initializer_list<int> numbers) {
    sigset_t wanted;
    ::sigemptyset(&wanted);
    for (const int number : numbers) {
        if (!is_ignored(number)) ::sigaddset(&wanted, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &wanted, &mask_before_);
    descriptor_ = posix::UniqueFd(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    if (descriptor_.get() < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

Signals::~Signals() {
    ::pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

std::optional<ReceivedSignal> Signals::next() {
    signalfd_siginfo info{};
    if (::read(descriptor_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
    const auto number = static_cast<int>(info.ssi_signo);
    return ReceivedSignal{number, info.ssi_code == SI_KERNEL && is_typed(number)};
}

} // namespace docent::cli
