// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <ctime>

namespace docent::zk {

/// CLOCK_BOOTTIME: a steady clock that continues while the machine is suspended, as the server's clock does.
struct BootClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept {
        timespec now{};
        ::clock_gettime(CLOCK_BOOTTIME, &now);
        return time_point{std::chrono::seconds{now.tv_sec} + std::chrono::nanoseconds{now.tv_nsec}};
    }
};

} // namespace docent::zk
