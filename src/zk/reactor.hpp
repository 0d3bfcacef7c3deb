// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "posix/process_mark.hpp"
#include "zk/c_client.hpp"
#include "zk/connect_pause.hpp"
#include "zk/event_loop.hpp"
#include "zk/input/frame_guard.hpp"
#include "zk/tls/tls_context.hpp"

#include <docent/error.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace docent::zk {

/// How an attempt to connect to one of the servers has failed.
enum class AttemptEnd {
    no_listener,   // the machine refused the connection: no program listens on the port
    unreachable,   // the connection was not accepted
    silent,        // accepted, but no answer; the server may have accepted the session
    refused,       // accepted and closed: the server refused the session
    not_zookeeper, // accepted, and answered with bytes that no ZooKeeper sends
    no_tls         // accepted, but TLS failed
};

struct FailedAttempt {
    AttemptEnd end;
    std::string server;      // its numeric address and port; empty if the C client does not tell
    TlsFault tls_fault = {}; // why TLS failed, for no_tls
};

/// Drives one handle of the C client: waits for its socket and its timers, and lets it read, write and connect.
///
/// docs/contributing/c-client.md has the rules and their reasons. A handle belongs to the process that opened it. A child
/// shares the socket, so nothing here reads, writes, connects or closes in the child.
class Reactor {
public:
    class Owner {
    public:
        virtual ~Owner() = default;
        /// Runs the functions that the C client's callbacks have queued. May destroy the owner, unless the caller has locked
        /// life().
        virtual void run_ready() = 0;
        /// Expired while the owner is being destroyed.
        virtual std::weak_ptr<void> life() = 0;
        /// The shape of the answer to the oldest outstanding request; null without one.
        virtual const ReplyShape* reply_due() = 0;
        virtual void on_attempt_failed(const FailedAttempt& attempt) = 0;
        /// No connection is made for a reason in this process, not in a server.
        virtual void on_local_fault(error_code ec) = 0;
    };

    Reactor(std::shared_ptr<EventLoop> loop, CClient& client, Owner& owner);

    /// `tls`: null for connections without TLS.
    error_code open(const std::string& servers, std::chrono::milliseconds session_timeout, const ConnectPause& pause,
                    std::shared_ptr<TlsContext> tls, watcher_fn watcher, void* context);
    bool is_open() const { return zh_ != nullptr; }
    /// Whether this process made the handle.
    bool is_here() const { return process_.is_here(); }
    zhandle_t* zh() const { return zh_; }
    /// Blocks: see Handle::close.
    void close();

    /// Posts a pump: it calls zookeeper_interest(), and then waits for the events and the time that this call returns.
    void schedule_pump();
    /// Holds sent bytes back until the next pump, which it schedules.
    void hold_back();
    /// Reads the answers that have arrived.
    void read_available() {
        if (is_here()) drain_if_readable();
    }
    /// The length of the frame that has arrived in part; 0 without one.
    std::size_t arriving() const { return watched_.socket ? frame_guard_.arriving() : 0; }
    /// Drops the present connection and tries the next server.
    void drop_connection();
    /// Stops waiting for events of the present socket, and closes the dup of it. The next pump makes another dup.
    void forget_socket();
    /// The C client has reported that it is connected. `session_timeout`: granted by the server.
    void on_connected(std::chrono::milliseconds session_timeout) {
        attempting_ = false;
        was_connected_ = true;
        session_timeout_ = session_timeout;
        pause_.on_connected(session_timeout);
    }
    /// Whether the C client is about to make a connection.
    bool is_attempting() const { return attempting_; }
    BootClock::time_point attempt_started() const { return attempt_started_; }

private:
    /// The present socket, and the events that Asio waits for.
    struct Watched {
        std::unique_ptr<EventLoop::Socket> socket;
        bool reading = false;
        bool writing = false;
        bool holds_back = false; // the socket is corked: sent bytes wait for let_go()
        bool sent = false;       // bytes were sent since the last let_go()
        BootClock::time_point let_go_at{};
    };

    /// Whether the C client may be called.
    bool may_drive() const { return zh_ != nullptr && is_here(); }
    void pump();
    void let_go(BootClock::time_point now);
    void hold_back_no_more();
    bool end_attempt_if_over(BootClock::time_point now);
    AttemptEnd attempt_end() const;
    void note_attempt(BootClock::time_point now);
    void note_fault(int fault);
    void drain() { drain(watched_.socket->descriptor()); }
    void drain(int descriptor);
    FrameDue frame_due();
    bool feed(std::string_view frame, int descriptor);
    void drain_if_readable();
    bool wait_on(int fd, int interest);
    bool look_at(int fd, int interest);
    EventLoop::Handler then_pump(bool Watched::*waiting, void (Reactor::*act)());
    void write();
    bool begin_tls();
    bool is_exposed() const;
    void drop_tunnel();
    void on_tls_handshake();
    bool waits_for_tls() const { return tunnel_ && !tunnel_->open() && tunnel_->is_at(c_descriptor_); }
    void arm_timer(std::chrono::milliseconds delay);
    std::chrono::milliseconds left_of_attempt(BootClock::time_point now) const;
    void shut_socket();

    std::shared_ptr<EventLoop> loop_;
    CClient* client_;
    Owner* owner_;
    zhandle_t* zh_ = nullptr;
    posix::ProcessMark process_;
    std::chrono::milliseconds session_timeout_{};

    Watched watched_;
    FrameGuard frame_guard_;
    std::shared_ptr<TlsContext> tls_;
    std::shared_ptr<EventLoop::Tunnel> tunnel_; // of the present connection
    TlsFault tls_fault_;                        // of the present attempt
    int c_descriptor_ = -1;                     // the C client's descriptor, as last reported
    bool look_again_ = false;                   // the socket is readable, but its frame is incomplete: look again after a pause
    std::unique_ptr<EventLoop::Timer> timer_;
    std::optional<std::chrono::steady_clock::time_point> timer_deadline_;
    bool pump_scheduled_ = false;
    ConnectPause pause_;
    bool was_connected_ = false;
    bool first_after_loss_ = false; // the next attempt, or the present one, is the first after the end of a connection
    bool attempting_ = false;
    bool handshaking_ = false;
    std::string attempted_server_;
    bool no_listener_ = false; // the present attempt was refused by the machine
    bool unsound_ = false;     // the present attempt got bytes that the guard refused
    BootClock::time_point last_pump_{};
    BootClock::time_point attempt_started_{};
};

} // namespace docent::zk
