// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "zk/calls.hpp"
#include "zk/reactor.hpp"
#include "zk/request.hpp"
#include "zk/watch_table.hpp"

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace docent::zk {

struct HandleOptions {
    /// Numeric addresses only, `1.2.3.4:2181,::1:2181`: the C client would block on names.
    std::string servers;
    std::chrono::milliseconds session_timeout{10'000};
    std::vector<AuthInfo> auth;
};

/// What a handle reports, in the order in which it happened, never from inside the C client.
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
    /// By the handshake of a connection, or by the answer to a request. The handle is of no more use after these two.
    virtual void on_handle_expired() = 0;
    virtual void on_handle_auth_failed() = 0;
    /// A server answered a request that was sent at `sent`; `by_leader` if the request passed the leader.
    virtual void on_handle_answer(BootClock::time_point sent, bool by_leader) = 0;
    virtual void on_handle_attempt_failed(const FailedAttempt& attempt) = 0;
    /// No attempt can be made, and no server is to blame: no descriptors are left, for instance. It is tried again.
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

    /// Sends a request once. Without a connection, `error::not_connected`.
    void submit(Request request, ReplyHandler handler);

    /// Nobody waits any more for what `kind` watches: removes the watch on the server too if nobody else does, and no request
    /// is on its way that would set it again. Without a connection, or if the reply is lost, after the next connection.
    void forget_watch(const std::string& path, WatchKind kind);

    /// Looks again at watched nodes of which nothing was told for a session timeout, `most` of them, and tells the events that
    /// were lost. To be called from time to time.
    void look_again(std::size_t most);

    /// Uses other servers from the next attempt on. Only while disconnected and between two attempts; else it returns false.
    bool set_servers(const std::string& servers);

    /// Reads what has arrived already, without waiting for the executor to say so.
    void read_available() { reactor_.read_available(); }

    /// Gives the present connection up and tries the next server.
    void drop_connection() { reactor_.drop_connection(); }

    /// Closes the session, blocking for one round trip if connected (at most about 4.5 s), and ends every request with
    /// `reason`. Unless that is `error::closed`, watches are told that their session is lost. Nothing is reported to the
    /// observer any more. In a child of the process that has opened it, it closes nothing, and nobody hears of anything.
    void close(error_code reason);

    bool connected() const { return announced_; }
    std::size_t outstanding() const;
    /// That the server keeps.
    std::size_t watches() const { return watches_.on_server(); }

private:
    struct Pending;
    using PendingList = std::list<Pending>;

    // Reactor::Owner
    void run_ready() override;
    std::shared_ptr<void> keep_alive() override { return weak_from_this().lock(); }
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
    void after_send();
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

    std::deque<std::function<void()>> ready_; // what C callbacks have left, run outside of the C client
    bool running_ready_ = false;
    PendingList pending_;
    std::size_t tainted_ = 0; // requests already answered with connection_loss that the C client still has
    bool c_connected_ = false;
    bool announced_ = false;
    bool dead_ = false;
    error_code close_reason_;
    WatchTable watches_;
    bool removal_failed_ = false;               // here, not on the server: to be tried again
    std::chrono::milliseconds session_timeout_; // as negotiated
    std::minstd_rand random_;                   // spreads looks over time
};

} // namespace docent::zk
