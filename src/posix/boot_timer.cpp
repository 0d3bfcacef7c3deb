// SPDX-License-Identifier: Apache-2.0
#include "posix/boot_timer.hpp"

#include "base/while_alive.hpp"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace docent::zk {

std::shared_ptr<BootTimer> BootTimer::make(const asio::any_io_executor& executor, std::function<void()> on_expiry,
                                           error_code& ec) {
    const int fd = ::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (fd < 0) {
        ec = error_code(errno, boost::system::system_category());
        return nullptr;
    }
    asio::posix::stream_descriptor descriptor(executor);
    descriptor.assign(fd, ec);
    if (!ec) return std::make_shared<BootTimer>(std::move(descriptor), std::move(on_expiry));
    ::close(fd);
    return nullptr;
}

BootTimer::BootTimer(asio::posix::stream_descriptor descriptor, std::function<void()> on_expiry)
    : descriptor_(std::in_place, std::move(descriptor)), on_expiry_(std::move(on_expiry)) {}

void BootTimer::arm(BootClock::time_point when) {
    if (!descriptor_.is_here() || !descriptor_->is_open()) return;
    const auto at = std::max(when.time_since_epoch(), BootClock::duration{1}); // 0 would disarm
    itimerspec spec{};
    spec.it_value.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(at).count();
    spec.it_value.tv_nsec = (at % std::chrono::seconds{1}).count();
    ::timerfd_settime(descriptor_->native_handle(), TFD_TIMER_ABSTIME, &spec, nullptr);
    if (!std::exchange(waiting_, true)) wait();
}

void BootTimer::close() {
    error_code ignored;
    if (descriptor_.is_here()) descriptor_->close(ignored);
}

void BootTimer::wait() {
    const auto on_readable = [this](const error_code& ec) {
        if (ec) return;
        waiting_ = false;
        std::uint64_t expirations = 0;
        if (::read(descriptor_->native_handle(), &expirations, sizeof expirations) > 0) return on_expiry_();
        waiting_ = true; // armed again meanwhile
        wait();
    };
    descriptor_->async_wait(asio::posix::stream_descriptor::wait_read, detail::while_alive(weak_from_this(), on_readable));
}

} // namespace docent::zk
