// SPDX-License-Identifier: Apache-2.0

#include "cli/hold/event_flag.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace docent::cli {

EventFlag::EventFlag() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_.get() < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void EventFlag::raise() noexcept {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(descriptor_.get(), &one, sizeof one)); // fails only if the flag is raised already
}

bool EventFlag::raised() const noexcept {
    pollfd wanted{descriptor_.get(), POLLIN, 0};
    return ::poll(&wanted, 1, 0) == 1;
}

} // namespace docent::cli
