// SPDX-License-Identifier: Apache-2.0
#include "posix/boot_timer.hpp"

#include <docent/error.hpp>

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace docent::session {

BootTimer::BootTimer(const asio::any_io_executor& executor, std::function<void()> on_expiry)
    : descriptor_(executor), on_expiry_(std::move(on_expiry)) {
    const int fd = ::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0) throw Error(error_code(errno, boost::system::system_category()), "timerfd_create");
    descriptor_.assign(fd);
}

void BootTimer::arm(BootClock::time_point when) {
    if (!descriptor_.is_open()) return;
    const auto at = std::max(when.time_since_epoch(), BootClock::duration{1}); // 0 would disarm
    itimerspec spec{};
    spec.it_value.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(at).count();
    spec.it_value.tv_nsec = (at % std::chrono::seconds{1}).count();
    ::timerfd_settime(descriptor_.native_handle(), TFD_TIMER_ABSTIME, &spec, nullptr);
    if (!std::exchange(waiting_, true)) wait();
}

void BootTimer::disarm() {
    const itimerspec disarmed{};
    ::timerfd_settime(descriptor_.native_handle(), 0, &disarmed, nullptr);
}

void BootTimer::close() {
    error_code ignored;
    descriptor_.close(ignored);
}

void BootTimer::wait() {
    descriptor_.async_wait(asio::posix::stream_descriptor::wait_read, [weak = weak_from_this()](const error_code& ec) {
        const auto self = weak.lock();
        if (!self || ec) return;
        self->waiting_ = false;
        std::uint64_t expirations = 0;
        if (::read(self->descriptor_.native_handle(), &expirations, sizeof expirations) > 0) return self->on_expiry_();
        self->waiting_ = true; // armed anew meanwhile
        self->wait();
    });
}

} // namespace docent::session
