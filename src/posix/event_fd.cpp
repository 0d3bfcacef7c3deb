// SPDX-License-Identifier: Apache-2.0

#include "posix/event_fd.hpp"

#include <sys/eventfd.h>

#include <utility>

namespace docent::posix {
namespace {

UniqueFd open_event() {
    return UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
}

} // namespace

EventFd::EventFd() : EventFd(open_event()) {
    if (!descriptor_) throw last_error("eventfd");
}

std::shared_ptr<EventFd> EventFd::make() {
    UniqueFd descriptor = open_event();
    return descriptor ? std::shared_ptr<EventFd>(new EventFd(std::move(descriptor))) : nullptr;
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
