// SPDX-License-Identifier: Apache-2.0

#include "posix/event_fd.hpp"

#include <sys/eventfd.h>

namespace docent::posix {

EventFd::EventFd() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!descriptor_) throw last_error("eventfd");
}

void EventFd::raise() noexcept {
    static_cast<void>(::eventfd_write(descriptor_.get(), 1)); // fails only if the flag was raised 2^64 - 2 times
}

void EventFd::clear() noexcept {
    eventfd_t count = 0;
    static_cast<void>(::eventfd_read(descriptor_.get(), &count));
}

bool EventFd::raised() const noexcept {
    pollfd wanted{descriptor_.get(), POLLIN, 0};
    return ::poll(&wanted, 1, 0) == 1;
}

} // namespace docent::posix
