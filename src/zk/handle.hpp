// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "zk/c_client.hpp"
#include "zk/late_answers.hpp"
#include "zk/reactor.hpp"
#include "zk/request.hpp"
#include "zk/watch_table.hpp"

#include <docent/heartbeats.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace docent::zk {

struct HandleOptions {
    /// Numeric addresses only, as in `1.2.3.4:2181,::1:2181`: the C client blocks while it resolves a name.
    std::string servers;
    std::chrono::milliseconds session_timeout{10'000};
    std::vector<AuthInfo> auth;
    std::shared_ptr<TlsContext> tls = nullptr; // null: without TLS
    Heartbeats heartbeats = Heartbeats::frequent;
    std::uint64_t random_seed = 0; // a different seed for each handle of each client
};

/// Receives the events of a handle, in order. Never called from inside the C client.
class HandleObserver {
public:
    virtual ~HandleObserver() = default;
    struct Connected {
        std::int64_t session_id;
        std::chrono::milliseconds timeout;     // negotiated
        BootClock::time_point attempt_started; // the server has touched the session later than this
    };
    virtual void on_handle_connected(const Connected& connected) = 0;
    virtual void on_handle_disconnected() = 0;
    /// The session has expired: a server said so in the handshake, or in the answer to a request. Close the handle after this
    /// event, and after on_handle_auth_failed().
    virtual void on_handle_expired() = 0;
    virtual void on_handle_auth_failed() = 0;
    /// A server answered a request that was sent at `sent`; `by_leader` if the request passed the leader.
    virtual void on_handle_answer(BootClock::time_point sent, bool by_leader) = 0;
    virtual void on_handle_attempt_failed(const FailedAttempt& attempt) = 0;
    /// This process cannot connect, for example because no descriptor is left. The handle tries again.
    virtual void on_handle_fault(error_code ec) = 0;
};

/// One session with an ensemble: a C client handle, driven by a reactor. All members are called on the loop's strand.
///
/// Its rules and the reasons for them are in docs/contributing/c-client.md.
class Handle : public std::enable_shared_from_this<Handle>, private Reactor::Owner {
public:
    Handle(std::shared_ptr<EventLoop> loop, HandleOptions options, HandleObserver& observer, CClient& client = real_c_client());
    ~Handle() override;
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    /// Starts connecting. Errors: the system's, or `server_error::system_error` (no handle could be made),
    /// `server_error::auth_failed` (an authentication scheme was refused by the C client itself).
    error_code open();

    /// Sends a request once. Without a connection, `error::not_connected`. If the answer was late twice in a row,
    /// `error::reply_too_large`.
    void submit(Request request, ReplyHandler handler);

    /// Called when a listener no longer wants the watch. Removes the watch on the server if no other listener wants it and no
    /// request is under way that would set it again. Without a connection, or if the reply is lost, the handle does this after
    /// the next connect.
    void forget_watch(const std::string& path, WatchKind kind);

    /// Reads up to `most` watched nodes about which no answer came for look_interval(), and reports the events that were lost.
    /// Called with each heartbeat.
    void look_again(std::size_t most);

    /// Uses other servers from the next attempt on. Returns false, and does nothing, with a connection or during an attempt.
    bool set_servers(const std::string& servers);

    /// Reads answers that have arrived already, without waiting for the executor.
    void read_available() { reactor_.read_available(); }

    /// Drops the connection to a silent server and tries the next server. If a long answer has arrived in part, it is the
    /// reason for the silence: see LateAnswers.
    void drop_connection();

    /// Closes the session and ends every request with `reason`. Blocks for one round trip if connected, for about 4.5 s at
    /// most. If `reason` is not `error::closed`, each watch reports that its session is lost. The observer is not called any
    /// more. In a child of the process that opened the handle, it closes and reports nothing.
    void close(error_code reason);

    bool connected() const { return announced_; }
    std::size_t outstanding() const;
    /// The number of watches that the server keeps.
    std::size_t watches() const { return watches_.on_server(); }

private:
    struct Pending;
    using PendingList = std::list<Pending>;

    // Reactor::Owner
    void run_ready() override;
    std::weak_ptr<void> life() override { return weak_from_this(); }
    const ReplyShape* reply_due() override;
    void on_attempt_failed(const FailedAttempt& attempt) override;
    void on_local_fault(error_code ec) override;

    template <typename... Params, typename... Args>
    void notify(void (HandleObserver::*member)(Params...), const Args&... args) {
        if (observer_ != nullptr) (observer_->*member)(args...);
    }
    static void on_event(zhandle_t* zh, int type, int state, const char* path, void* context) noexcept;
    Pending& add_pending(const Request& request, ReplyHandler handler);
    PendingList take(Pending& pending);
    void transmit(Pending& pending, const Request& request);
    void complete(Pending& pending, Reply&& reply);
    void complete_removal(Pending& removal, const error_code& ec);
    void on_session_event(int state);
    void on_watch_event(int type, const std::string& path);
    void on_silent_close();
    void announce_if_settled();
    void end_watches();
    void tell_later(const std::vector<WatchSink>& sinks, WatchEvent event);
    void on_told(const std::string& path, const Reply& reply);
    std::chrono::steady_clock::time_point next_look();
    void forget_abandoned();

    std::shared_ptr<EventLoop> loop_;
    HandleOptions options_;
    HandleObserver* observer_;
    CClient* client_;
    Reactor reactor_;

    std::deque<std::function<void()>> ready_; // queued by callbacks of the C client, run outside of it
    bool running_ready_ = false;
    PendingList pending_;
    std::size_t tainted_ = 0;  // requests that were answered with connection_loss and that the C client still has
    bool c_connected_ = false; // the C client has a connection
    bool announced_ = false;   // the observer knows of this connection, or is about to be told
    bool dead_ = false;        // the session has expired, authentication has failed, or close() was called
    error_code close_reason_;
    WatchTable watches_;
    LateAnswers late_answers_;
    bool removal_failed_ = false;               // the C client refused a removal: try again
    std::chrono::milliseconds session_timeout_; // as negotiated
    std::minstd_rand random_;                   // spreads looks over time
};

} // namespace docent::zk
