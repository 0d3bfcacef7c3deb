// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "posix/process_mark.hpp"

#include <docent/error.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <functional>
#include <memory>

namespace docent::zk {

namespace asio = boost::asio;

/// A timer on CLOCK_BOOTTIME. Asio's timers do not run while the machine is suspended. In a child of the process that made the
/// timer, it does nothing: the child shares the descriptor.
class BootTimer : public std::enable_shared_from_this<BootTimer> {
public:
    /// Returns null and sets `ec` if no descriptor is left.
    static std::shared_ptr<BootTimer> make(const asio::any_io_executor& executor, std::function<void()> on_expiry,
                                           error_code& ec);

    BootTimer(asio::posix::stream_descriptor descriptor, std::function<void()> on_expiry);

    /// Calls `on_expiry` once, at or after `when`. Replaces an earlier time. A time in the past means now.
    void arm(BootClock::time_point when);
    /// Ends the timer, so that it does not keep the executor busy.
    void close();

private:
    void wait();

    posix::ProcessBound<asio::posix::stream_descriptor> descriptor_;
    std::function<void()> on_expiry_;
    bool waiting_ = false;
};

} // namespace docent::zk
