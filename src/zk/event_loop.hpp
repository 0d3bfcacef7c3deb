// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "zk/tls/tls_engine.hpp"

#include <docent/error.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>

namespace docent::zk {

namespace asio = boost::asio;

/// The interface of handles and sessions to the system: a strand, clocks, timers, and the sockets that the C client opens.
/// Tests have an implementation with virtual time. All members are called on the strand, and call back on it. An object that is
/// destroyed does not call back. In a child of the process that made them, timers and sockets do nothing: the parent owns them.
class EventLoop {
public:
    using Handler = std::function<void()>;

    /// Calls back once, on the steady clock.
    class Timer {
    public:
        virtual ~Timer() = default;
        /// Replaces an earlier start().
        virtual void start(std::chrono::nanoseconds delay, Handler handler) = 0;
        virtual void cancel() = 0;
    };
    /// Calls back once for each arm(), on the clock that continues while the machine is suspended.
    class Alarm {
    public:
        virtual ~Alarm() = default;
        /// Replaces an earlier arm(). A time in the past means now.
        virtual void arm(BootClock::time_point when) = 0;
    };
    /// The socket that a descriptor of the C client stands for at the moment. It stays the same when the C client uses the
    /// number for another socket.
    class Socket {
    public:
        virtual ~Socket() = default;
        /// At most one handler of each kind may wait at a time.
        virtual void on_readable(Handler handler) = 0;
        virtual void on_writable(Handler handler) = 0;
        virtual bool readable() = 0;
        /// Ends the connection and discards bytes that have arrived.
        virtual void shut() = 0;
        /// While on, bytes that are sent wait for hold_back(false) or let_go(), for 200 ms at most. They then leave in as few
        /// packets as possible.
        virtual void hold_back(bool on) = 0;
        /// Sends the bytes that were held back so far.
        virtual void let_go() = 0;
        /// A descriptor for looking at bytes that have arrived; -1 in tests without sockets.
        virtual int descriptor() { return -1; }
    };

    /// Carries the bytes of one connection through TLS. It continues without its owner until both sides have ended.
    class Tunnel {
    public:
        virtual ~Tunnel() = default;
        /// Whether the handshake has succeeded, and the connection has not ended.
        virtual bool open() const = 0;
        /// Whether a descriptor of the C client stands for the near end of this tunnel.
        virtual bool is_at(int fd) const = 0;
        /// Why TLS failed; without a text if it did not.
        virtual const TlsFault& fault() const = 0;
        /// Carries the bytes that have arrived, once the handshake has succeeded.
        virtual void carry_on() = 0;
        /// Closes the connection to the server. For a connection that the C client has given up.
        virtual void abandon() = 0;
        /// Before the C client closes its descriptor: takes bytes that it has sent, however slowly the server reads. Returns
        /// whether there were any.
        virtual bool take() = 0;
        /// The C client finds the end of its connection behind the bytes that have arrived.
        virtual void end_answers() = 0;
        /// After the C client has closed its descriptor: sends its last bytes for `sending` at most, and then waits until the
        /// server has closed the connection, for `answering` at most. Blocks.
        virtual void finish(std::chrono::milliseconds sending, std::chrono::milliseconds answering) = 0;
    };

    virtual ~EventLoop() = default;
    virtual const asio::any_io_executor& executor() const = 0;
    virtual BootClock::time_point boot_now() const = 0;
    virtual std::chrono::steady_clock::time_point steady_now() const = 0;
    virtual void post(Handler handler) = 0;
    virtual std::unique_ptr<Timer> make_timer() = 0;
    /// Returns null and sets `ec` if no descriptor is left.
    virtual std::unique_ptr<Alarm> make_alarm(Handler handler, error_code& ec) = 0;
    /// Returns null and sets `ec` if no descriptor is left.
    virtual std::unique_ptr<Socket> make_socket(int fd, error_code& ec) = 0;
    /// The same as Socket::descriptor() and Socket::shut() for a descriptor of the C client.
    virtual int real_descriptor(int) const { return -1; }
    virtual void shut(int) {}
    /// Puts a tunnel in the place of a connected socket of the C client, and begins the handshake. Calls `on_handshake` when
    /// that has ended, not from inside this call. Returns null and sets `ec` if no descriptor is left, or if the socket is not
    /// connected. In the second case, the socket can never send anything.
    virtual std::shared_ptr<Tunnel> make_tunnel(int fd, std::unique_ptr<TlsEngine> engine, Handler on_handshake,
                                                error_code& ec) = 0;
    /// Which of ZOOKEEPER_READ and ZOOKEEPER_WRITE a descriptor is ready for at once.
    virtual int ready_for(int fd, int interest) = 0;
};

/// Returns the implementation for programs. It runs on this strand of Asio.
std::shared_ptr<EventLoop> make_event_loop(asio::any_io_executor strand);

} // namespace docent::zk
