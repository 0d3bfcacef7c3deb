// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "posix/boot_clock.hpp"
#include "zk/request.hpp"
#include "zk/watch_table.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

struct _zhandle; // NOLINT(bugprone-reserved-identifier): the C client calls it so

namespace docent::zk {

namespace asio = boost::asio;

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
        std::chrono::milliseconds timeout; // negotiated
        bool read_only;
        BootClock::time_point attempt_started; // the server has touched the session later than this
    };
    virtual void on_handle_connected(const Connected& connected) = 0;
    virtual void on_handle_disconnected() = 0;
    /// The handle is dead after these two.
    virtual void on_handle_expired() = 0;
    virtual void on_handle_auth_failed() = 0;
    /// A server answered a request that was sent at `sent`; `by_leader` if the request passed the leader.
    virtual void on_handle_answer(BootClock::time_point sent, bool by_leader) = 0;
    /// An attempt to connect to one of the servers has failed; `refused` if something accepted the connection there, but would
    /// not have our session.
    virtual void on_handle_attempt_failed(bool refused) = 0;
};

/// One session with an ensemble: a C client handle, driven by Asio on the strand that `executor` is. All members are called on
/// that strand.
///
/// Its rules and the reasons for them are in docs/c-client.md.
class Handle : public std::enable_shared_from_this<Handle> {
public:
    Handle(asio::any_io_executor executor, HandleOptions options, HandleObserver& observer);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    /// Starts connecting. Errors: `server_error::system_error` (no handle could be made), `server_error::auth_failed` (an
    /// authentication scheme was refused by the C client itself).
    error_code open();

    /// Sends a request once. Without a connection, `error::not_connected`.
    void submit(Request request, ReplyHandler handler);

    /// Nobody waits any more for what `kind` watches: removes the watch on the server too if nobody else does, and no request
    /// is on its way that would set it again. If the reply is lost it is tried again after the next connection.
    void forget_watch(const std::string& path, WatchKind kind);

    /// Uses other servers from the next attempt on. Only while disconnected; else it returns false.
    bool set_servers(const std::string& servers);

    /// Reads what has arrived already, without waiting for the executor to say so.
    void read_available();

    /// Gives the present connection up and tries the next server.
    void drop_connection();

    /// Closes the session, blocking for one round trip if connected (at most about 4.5 s), and ends every request with
    /// `reason`. Unless that is `error::closed`, watches are told that their session is lost. Nothing is reported to the
    /// observer any more.
    void close(error_code reason);

    bool connected() const { return announced_; }
    std::size_t outstanding() const { return pending_.size(); }

private:
    struct Pending;
    struct MultiBuffers;
    struct Callbacks; // extern "C" entry points
    using PendingList = std::list<std::unique_ptr<Pending>>;

    template <typename... Params, typename... Args>
    void notify(void (HandleObserver::*member)(Params...), const Args&... args) {
        if (observer_ != nullptr) (observer_->*member)(args...);
    }
    void complete(Pending& pending, Reply reply);
    void on_session_event(int state);
    void on_watch_event(int type, const std::string& path);
    void on_silent_close();
    void announce_if_settled();
    void end_watches();

    void pump();
    void schedule_pump();
    void run_ready();
    void drain();
    void drain_if_readable();
    void wait_on(int fd, int interest);
    void forget_socket();
    void arm_timer(std::chrono::milliseconds delay);
    void on_timer();
    bool attempt_overdue() const;
    void shut_socket();

    asio::any_io_executor executor_;
    HandleOptions options_;
    HandleObserver* observer_;
    _zhandle* zh_ = nullptr;

    std::optional<asio::posix::stream_descriptor> socket_; // a dup: the C client reuses its numbers
    std::uint64_t socket_generation_ = 0;
    bool read_armed_ = false;
    bool write_armed_ = false;
    asio::steady_timer timer_;
    std::optional<std::chrono::steady_clock::time_point> timer_deadline_;
    bool pump_scheduled_ = false;

    std::deque<std::function<void()>> ready_; // what C callbacks have left, run outside of the C client
    bool running_ready_ = false;
    PendingList pending_;
    std::size_t tainted_ = 0; // requests already answered with connection_loss that the C client still has
    bool c_connected_ = false;
    bool read_only_ = false;
    bool announced_ = false;
    bool dead_ = false;
    error_code close_reason_;
    bool attempting_ = false;
    bool handshaking_ = false;
    BootClock::time_point last_pump_{};
    BootClock::time_point attempt_started_{};
    WatchTable watches_;
    std::vector<std::pair<std::string, WatchKind>> unforgotten_; // removals whose reply was lost
};

} // namespace docent::zk
