// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/recipes/lease.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/thread/thread.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <stop_token>
#include <tuple>

namespace docent::test {

/// Makes a call on a thread that is interrupted. Returns true if the interruption ends the call.
template <typename Call> bool is_ended_by_interruption(Call call) {
    std::promise<bool> interrupted;
    boost::thread thread([&] {
        try {
            call();
            interrupted.set_value(false);
        } catch (const boost::thread_interrupted&) {
            interrupted.set_value(true);
        }
    });
    thread.interrupt();
    const bool is_ended = interrupted.get_future().get();
    thread.join();
    return is_ended;
}

/// Lets a lock wait and ends the wait in each way: interrupts the thread, requests the stop, cancels the call. `waits` and
/// `has_left_nothing` look at the lock's queue, and return true as soon as it is as expected.
template <typename Lock>
void expect_ended_waits_leave_nothing(Lock& lock, const std::function<bool()>& waits,
                                      const std::function<bool()>& has_left_nothing) {
    boost::thread interrupted([&] {
        std::ignore = lock.acquire();
        ADD_FAILURE() << "acquired";
    });
    EXPECT_TRUE(waits()); // the waiter must be ended in any case
    interrupted.interrupt();
    interrupted.join();
    EXPECT_TRUE(has_left_nothing()) << "after an interruption";

    std::stop_source stop;
    auto stopped = std::async(std::launch::async, [&] {
        error_code ec;
        std::ignore = lock.acquire(ec, {.stop = stop.get_token()});
        return ec;
    });
    EXPECT_TRUE(waits());
    stop.request_stop();
    EXPECT_EQ(stopped.get(), boost::asio::error::operation_aborted);
    EXPECT_TRUE(has_left_nothing()) << "after a request to stop";

    boost::asio::cancellation_signal signal;
    // Without an exception: ThreadSanitizer does not see how the owners of an exception are counted, and holds up all threads
    // for up to a minute before it suppresses its report.
    const auto cancelled = std::make_shared<std::promise<error_code>>();
    lock.async_acquire(boost::asio::bind_cancellation_slot(
        signal.slot(), [cancelled](error_code ec, const auto&) { cancelled->set_value(ec); }));
    EXPECT_TRUE(waits());
    signal.emit(boost::asio::cancellation_type::total);
    EXPECT_EQ(cancelled->get_future().get(), boost::asio::error::operation_aborted);
    EXPECT_TRUE(has_left_nothing()) << "after a cancellation";
}

/// Work that lasts until it is asked to end.
inline void wait_for_stop(const Lease& lease) {
    std::promise<void> stopped;
    const std::stop_callback on_stop(lease.stop_token(), [&stopped] { stopped.set_value(); });
    stopped.get_future().wait();
}

} // namespace docent::test
