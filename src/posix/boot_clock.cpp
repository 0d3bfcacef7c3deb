// SPDX-License-Identifier: Apache-2.0
#include "posix/boot_clock.hpp"

#include <ctime>

namespace docent::zk {

BootClock::time_point BootClock::now() noexcept {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return time_point{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
}

} // namespace docent::zk
