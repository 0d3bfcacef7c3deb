// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace docent::zk {

/// CLOCK_BOOTTIME: a steady clock that continues while the machine is suspended, as the server's clock does.
struct BootClock {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BootClock>;
    static constexpr bool is_steady = true;

    static time_point now() noexcept;
};

} // namespace docent::zk
