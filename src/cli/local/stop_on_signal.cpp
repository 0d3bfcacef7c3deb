// SPDX-License-Identifier: Apache-2.0

#include "cli/local/stop_on_signal.hpp"
#include "cli/messages.hpp"
#include "posix/event_fd.hpp"
#include "posix/threads.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

namespace docent::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds longest_block = 1s;

bool output_takes_bytes() {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&output, 1, 0) > 0;
}

} // namespace

StopOnSignal::StopOnSignal(std::initializer_list<int> numbers, BlockedOutput blocked_output, std::function<void()> suspend)
    : signals_(numbers), blocked_output_(blocked_output), suspend_(std::move(suspend)),
      listener_(posix::start_quiet_thread([this] { listen(); })) {}

StopOnSignal::~StopOnSignal() {
    end_.raise();
    listener_.join();
}

void StopOnSignal::listen() {
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
        } else if (may_end && !end_.raised() && !output_takes_bytes()) {
            ::_exit(exit_code::by_signal(received_)); // without destructors, which could block in a write
        }
    }
}

} // namespace docent::cli
