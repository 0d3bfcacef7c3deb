// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"

#include <docent/error.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace docent::zk {

namespace asio = boost::asio;

/// What a handle and a session have of the world: a strand, clocks, timers, and sockets that the C client opens. Tests have one
/// whose time is their own. All is called, and calls back, on the strand; what is destroyed does not call back.
/// In a child of the process that has made them, timers and sockets are left alone: they are its parent's.
class EventLoop {
public:
    using Handler = std::function<void()>;

    /// Calls back once, on the steady clock.
    class Timer {
    public:
        virtual ~Timer() = default;
        /// Instead of an earlier one.
        virtual void start(std::chrono::milliseconds delay, Handler handler) = 0;
        virtual void cancel() = 0;
    };
    /// Calls back once for each arming, on the clock that goes on while the machine is suspended.
    class Alarm {
    public:
        virtual ~Alarm() = default;
        /// Instead of an earlier one. A time in the past is now.
        virtual void arm(BootClock::time_point when) = 0;
    };
    /// The socket that a descriptor of the C client stands for at the moment, whatever becomes of that number.
    class Socket {
    public:
        virtual ~Socket() = default;
        /// One of each kind at a time.
        virtual void on_readable(Handler handler) = 0;
        virtual void on_writable(Handler handler) = 0;
        virtual bool readable() = 0;
        /// Ends it, and throws away what has arrived.
        virtual void shut() = 0;
        /// What is sent while it is held back leaves when it is no more, or is let go, in as few packets as it needs; after
        /// 200 ms at the latest.
        virtual void hold_back(bool on) = 0;
        /// What has been held back so far.
        virtual void let_go() = 0;
        /// For looking at what has arrived; -1 if there is nothing behind it, as in tests.
        virtual int descriptor() { return -1; }
    };

    virtual ~EventLoop() = default;
    virtual const asio::any_io_executor& executor() const = 0;
    virtual BootClock::time_point boot_now() const = 0;
    virtual std::chrono::steady_clock::time_point steady_now() const = 0;
    virtual void post(Handler handler) = 0;
    virtual std::unique_ptr<Timer> make_timer() = 0;
    /// Null, and why, when there is no descriptor for it.
    virtual std::unique_ptr<Alarm> make_alarm(Handler handler, error_code& ec) = 0;
    /// Null, and why, when there is no descriptor for it.
    virtual std::unique_ptr<Socket> make_socket(int fd, error_code& ec) = 0;
    /// The same as Socket::descriptor() and shut(), of a descriptor of the C client.
    virtual int real_descriptor(int) const { return -1; }
    virtual void shut(int) {}
    /// Which of ZOOKEEPER_READ and ZOOKEEPER_WRITE a descriptor is ready for at once.
    virtual int ready_for(int fd, int interest) = 0;
};

class SharedInput;

/// The real one, on a strand. With `input`, a thread that waits for an answer may borrow the socket there, and read on the
/// strand what arrives.
std::shared_ptr<EventLoop> make_event_loop(asio::any_io_executor strand, std::shared_ptr<SharedInput> input = nullptr);

} // namespace docent::zk
