// SPDX-License-Identifier: Apache-2.0
#include "zk/handle.hpp"

#include "base/reply_too_large.hpp"
#include "zk/c_client.hpp"
#include "zk/request_check.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace docent::zk {

using std::chrono::milliseconds;

namespace {

// An address of TEST-NET-1 (RFC 5737). No connection to it is ever made.
constexpr auto nobodys_address = "192.0.2.1:1";

bool is_server_answer(const error_code& ec) {
    return !(ec == condition::outcome_unknown || ec == server_error::invalid_state || ec.category() == docent_category());
}

/// Whether a follower may have answered before the request reached the leader. Then the answer does not prove that the
/// session is alive at the leader. A follower that checks ACLs early (`enableEagerACLCheck`, since 3.6) answers so.
bool turned_away(const error_code& ec) {
    if (!ec) return false;
    return ec == server_error::throttled || ec == server_error::not_read_only || ec == server_error::session_moved ||
           ec == server_error::no_auth || ec == server_error::invalid_acl || ec == server_error::ephemeral_on_local_session ||
           ec == server_error::session_closed_require_sasl_auth;
}

std::optional<WatchEventType> to_watch_event_type(int type) {
    if (type == ZOO_CREATED_EVENT) return WatchEventType::created;
    if (type == ZOO_DELETED_EVENT) return WatchEventType::deleted;
    if (type == ZOO_CHANGED_EVENT) return WatchEventType::data_changed;
    if (type == ZOO_CHILD_EVENT) return WatchEventType::children_changed;
    return std::nullopt;
}

/// The kind of the watch that the request sets.
std::optional<WatchKind> watch_kind(const Request& request) {
    return watch_of(request) ? facts_of(request).watch : std::nullopt;
}

} // namespace

/// A request, or the removal of a watch, that the C client has not answered. The C client calls back exactly once for each, at
/// the latest when the handle is closed.
struct Handle::Pending : Completion {
    Pending(Handle& owner, const Request& request, ReplyHandler reply_handler)
        : handle(owner), handler(std::move(reply_handler)), sent(owner.loop_->boot_now()), by_leader(passes_leader(request)),
          shape(reply_shape(request)), question(LateAnswers::question_of(request)), kind(watch_kind(request)),
          sink(watch_of(request)) {}
    void on_reply(Reply&& reply) noexcept override {
        if (removal) handle.complete_removal(*this, reply.ec);
        else handle.complete(*this, std::move(reply));
    }

    Handle& handle;
    std::list<Pending>::iterator position;
    ReplyHandler handler;
    BootClock::time_point sent;
    bool by_leader;
    ReplyShape shape;
    std::optional<LateAnswers::Question> question; // if the answer may be long
    const std::string* watched_path = nullptr;     // owned by the watch table
    std::optional<WatchKind> kind;
    WatchSink sink;
    bool removal = false;
    std::string looked_at;   // the path, if this is a look for lost events
    bool from_server = true; // false if the C client itself refused the request
    bool tainted = false;    // already answered with connection_loss
};

Handle::Handle(std::shared_ptr<EventLoop> loop, HandleOptions options, HandleObserver& observer, CClient& client)
    : loop_(std::move(loop)), options_(std::move(options)), observer_(&observer), client_(&client),
      reactor_(loop_, client, *this), session_timeout_(options_.session_timeout) {}

Handle::~Handle() {
    close(error::closed);
}

/// The C client's watcher. It only copies its arguments.
void Handle::on_event(zhandle_t*, int type, int state, const char* path, void* context) noexcept {
    auto& handle = *static_cast<Handle*>(context);
    if (type == ZOO_SESSION_EVENT) return handle.on_session_event(state);
    handle.on_watch_event(type, path);
}

error_code Handle::open() {
    const ConnectPause pause(options_.session_timeout, options_.heartbeats, options_.random_seed);
    if (const error_code ec = reactor_.open(options_.servers, options_.session_timeout, pause, options_.tls, on_event, this))
        return ec;
    const auto ignored = [](int, const void*) {}; // a refusal arrives as a session event
    for (const AuthInfo& auth : options_.auth) {
        const int rc = client_->add_auth(reactor_.zh(), auth.scheme.c_str(), auth.credentials.data(),
                                         static_cast<int>(auth.credentials.size()), ignored);
        if (rc != ZOK) return server_error::auth_failed;
    }
    reactor_.schedule_pump();
    return {};
}

void Handle::submit(Request request, ReplyHandler handler) {
    if (!reactor_.is_here()) return loop_->post([handler = std::move(handler)] { handler({.ec = error::other_process}); });
    error_code ec = check_request(request);
    if (!ec && !announced_) ec = error::not_connected;
    if (!ec && !late_answers_.empty()) {
        const std::size_t size = late_answers_.refused_size(request, loop_->steady_now());
        if (size > 0) ec = detail::reply_too_large(size);
    }
    const auto kind = watch_kind(request);
    if (!ec && kind && !watches_.has_room(path_of(request), *kind)) ec = error::too_many_watches;
    if (ec) {
        ready_.push_back([handler = std::move(handler), ec] { handler({.ec = ec}); });
        return reactor_.schedule_pump();
    }

    Pending& pending = add_pending(request, std::move(handler));
    if (kind) pending.watched_path = &watches_.reserve(path_of(request), *kind);
    transmit(pending, request);
}

void Handle::drop_connection() {
    const std::size_t size = reactor_.arriving();
    const auto question = size > 0 && !pending_.empty() ? pending_.front().question : std::nullopt;
    if (question) late_answers_.on_late(*question, size, loop_->steady_now(), session_timeout_);
    reactor_.drop_connection();
}

std::size_t Handle::outstanding() const {
    return pending_.size();
}

/// Passes the request, or the removal of a watch, to the C client. If the C client refuses it, answers it at once.
void Handle::transmit(Pending& pending, const Request& request) {
    reactor_.hold_back();
    const int rc = pending.removal ? client_->remove_watch(reactor_.zh(), *pending.watched_path, *pending.kind, pending)
                                   : client_->send(reactor_.zh(), request, {on_event, this}, pending);
    if (rc != ZOK) {
        const error_code ec = rc == ZINVALIDSTATE ? make_error_code(error::not_connected) : to_error_code(rc);
        if (pending.removal && rc != ZNOWATCHER) removal_failed_ = true;
        pending.from_server = false;
        pending.removal ? complete_removal(pending, ec) : complete(pending, {.ec = ec});
    }
    if (client_->state(reactor_.zh()) == ZOO_NOTCONNECTED_STATE) on_silent_close();
    reactor_.schedule_pump();
}

Handle::Pending& Handle::add_pending(const Request& request, ReplyHandler handler) {
    Pending& added = pending_.emplace_back(*this, request, std::move(handler));
    added.position = std::prev(pending_.end());
    return added;
}

Handle::PendingList Handle::take(Pending& pending) {
    PendingList one;
    one.splice(one.begin(), pending_, pending.position);
    return one;
}

/// Removes the watch of this kind from the server; `data` and `exists` are one watch. Does nothing while a read of the same
/// kind is under way: the read would lose its watch.
void Handle::forget_watch(const std::string& path, WatchKind kind) {
    if (!announced_ || !reactor_.is_here() || !watches_.is_abandoned(path, kind))
        return; // abandoned watches are searched after each connect
    const Request sync = SyncRequest{path};
    Pending& removal = add_pending(sync, nullptr);
    removal.removal = true;
    removal.by_leader = false; // the server that has the watch removes it
    removal.shape = {};
    removal.watched_path = &watches_.begin_removal(path, kind);
    removal.kind = kind;
    transmit(removal, sync);
}

void Handle::look_again(std::size_t most) {
    if (!announced_) return;
    for (std::string& path : watches_.due(loop_->steady_now(), most, [this] { return next_look(); })) {
        const Request request = ExistsRequest{path};
        Pending& look = add_pending(request, [](Reply&&) {});
        look.looked_at = std::move(path);
        transmit(look, request);
        if (!c_connected_) return;
    }
}

std::chrono::steady_clock::time_point Handle::next_look() {
    return zk::next_look(loop_->steady_now(), look_interval(session_timeout_, options_.heartbeats), random_());
}

/// Called inside the callback of the C client, so in the order in which answers and events arrive. run_ready() would be too
/// late: the table could have changed by a later event.
void Handle::on_told(const std::string& path, const Reply& reply) {
    auto lost = watches_.on_told(path, told_by(reply.ec, reply.stat), next_look());
    if (lost.empty()) return;
    for (const auto& [type, sinks] : lost) tell_later(sinks, {type, path});
    ready_.push_back([this, path] { // forget_watch() does nothing if a listener has set the watch again
        for (const WatchKind kind : {WatchKind::data, WatchKind::children}) forget_watch(path, kind);
    });
}

bool Handle::set_servers(const std::string& servers) {
    if (!reactor_.is_open() || !reactor_.is_here() || announced_ || c_connected_) return false;
    if (reactor_.is_attempting() || !pending_.empty()) return false;
    options_.servers = servers;
    // The C client compares addresses without their ports, and keeps the old list if only ports differ. So it gets a different
    // list in between.
    client_->set_servers(reactor_.zh(), nobodys_address);
    client_->set_servers(reactor_.zh(), servers.c_str());
    reactor_.schedule_pump();
    return true;
}

void Handle::close(error_code reason) {
    if (!reactor_.is_open()) return;
    if (!reactor_.is_here()) return reactor_.close(); // pending requests belong to the parent
    close_reason_ = reason;
    dead_ = true;
    announced_ = false;
    reactor_.close(); // completes pending requests with ZCLOSING
    observer_ = nullptr;
    if (reason != error::closed) end_watches();
    watches_ = {};
    run_ready();
}

void Handle::complete_removal(Pending& removal, const error_code& ec) {
    const auto owner = take(removal);
    if (removal.tainted) --tainted_;
    const std::string path = *removal.watched_path; // the table forgets it
    watches_.end_removal(path, *removal.kind, !ec || ec == server_error::no_watcher);
    if (removal.tainted || !removal.from_server || !is_server_answer(ec)) return;
    ready_.push_back([this, sent = removal.sent] { notify(&HandleObserver::on_handle_answer, sent, false); });
}

void Handle::complete(Pending& pending, Reply&& reply) {
    const auto owner = take(pending);
    const auto kind = pending.kind;
    std::string path = kind ? *pending.watched_path : pending.looked_at; // the table may forget it
    // The C client has registered its watch with this very reply.
    const bool watch_set = kind && (!reply.ec || (*kind == WatchKind::exists && reply.ec == server_error::no_node));
    if (pending.tainted) {
        --tainted_;
        if (watch_set) watches_.add(path, *kind, nullptr); // the C client has sent the read again, and nobody waits for it
        if (kind) watches_.unreserve(path, *kind);
        return;
    }
    if (reply.ec == server_error::closing && close_reason_) reply.ec = close_reason_;
    reply.was_sent = pending.from_server;
    if (pending.from_server && !path.empty()) on_told(path, reply);
    if (kind && pending.from_server && reply.ec == server_error::no_auth) watches_.add_unwatched(path, *kind, pending.sink);
    if (watch_set) watches_.add(path, *kind, pending.sink);
    if (kind) watches_.unreserve(path, *kind);
    const bool answered = pending.from_server && is_server_answer(reply.ec);
    if (answered && pending.question) late_answers_.on_answer(*pending.question);
    const bool by_leader = pending.by_leader && !turned_away(reply.ec);
    // A server that has ended a session may keep a connection open: a session can have two connections, and the server closes
    // only one.
    const bool over = pending.from_server && announced_ && reply.ec == server_error::session_expired;
    ready_.push_back([this, answered, over, sent = pending.sent, by_leader, handler = std::move(pending.handler),
                      reply = std::move(reply), kind, path = std::move(path)]() mutable {
        if (answered) notify(&HandleObserver::on_handle_answer, sent, by_leader);
        if (over) notify(&HandleObserver::on_handle_expired);
        std::exchange(handler, nullptr)(std::move(reply));
        if (kind) forget_watch(path, *kind); // does nothing if a listener still waits
        if (answered && removal_failed_) forget_abandoned();
    });
}

void Handle::on_session_event(int state) {
    if (dead_) return;
    if (state == ZOO_CONNECTED_STATE) {
        c_connected_ = true;
        reactor_.on_connected(milliseconds{client_->recv_timeout(reactor_.zh())});
        return;
    }
    c_connected_ = false;
    const bool expired = state == ZOO_EXPIRED_SESSION_STATE;
    if (expired || state == ZOO_AUTH_FAILED_STATE) {
        dead_ = true;
        announced_ = false;
        ready_.push_back(
            [this, expired] { notify(expired ? &HandleObserver::on_handle_expired : &HandleObserver::on_handle_auth_failed); });
        end_watches();
    } else if (std::exchange(announced_, false)) {
        ready_.push_back([this] { notify(&HandleObserver::on_handle_disconnected); });
    }
}

void Handle::on_watch_event(int type, const std::string& path) {
    const auto event_type = to_watch_event_type(type);
    if (!event_type) return;
    tell_later(watches_.take(path, *event_type), {*event_type, path});
}

void Handle::end_watches() {
    for (auto& [path, sink] : watches_.take_all()) tell_later({std::move(sink)}, {WatchEventType::session_lost, path});
}

/// Tells the sinks that still exist when the event's turn comes. An answer that arrived before the event may have made a waiter
/// drop this watch and watch another node. If the waiter took this deletion for the deletion of the other node, it would be
/// granted a lock that is held.
void Handle::tell_later(const std::vector<WatchSink>& sinks, WatchEvent event) {
    if (sinks.empty()) return;
    using Listener = std::weak_ptr<WatchSink::element_type>;
    ready_.push_back([told = std::vector<Listener>(sinks.begin(), sinks.end()), event = std::move(event)] {
        for (const Listener& each : told) {
            if (const auto sink = each.lock()) (*sink)(event);
        }
    });
}

/// A send has failed inside zoo_a*(). The C client has closed its socket, keeps all requests, and reports nothing
/// (ZOOKEEPER-4210). It sends some of the requests again, so no new request may go out before it has answered them.
void Handle::on_silent_close() {
    if (!c_connected_) return;
    c_connected_ = false;
    reactor_.forget_socket();
    if (std::exchange(announced_, false)) ready_.push_back([this] { notify(&HandleObserver::on_handle_disconnected); });
    for (Pending& pending : pending_) {
        if (std::exchange(pending.tainted, true)) continue;
        ++tainted_;
        if (pending.removal) continue;
        ready_.push_back([handler = std::move(pending.handler)] { handler({.ec = server_error::connection_loss}); });
    }
}

void Handle::announce_if_settled() {
    if (!c_connected_ || tainted_ > 0 || announced_ || dead_ || !reactor_.is_open()) return;
    announced_ = true;
    session_timeout_ = milliseconds{client_->recv_timeout(reactor_.zh())};
    random_.seed(static_cast<std::minstd_rand::result_type>(client_->session_id(reactor_.zh())));
    const HandleObserver::Connected connected{client_->session_id(reactor_.zh()),
                                              milliseconds{client_->recv_timeout(reactor_.zh())}, reactor_.attempt_started()};
    ready_.push_back([this, connected] {
        notify(&HandleObserver::on_handle_connected, connected);
        forget_abandoned();
    });
}

void Handle::forget_abandoned() {
    removal_failed_ = false;
    for (const auto& [path, kind] : watches_.abandoned()) forget_watch(path, kind);
}

/// The C client keeps its requests in the same order as `pending_`.
const ReplyShape* Handle::reply_due() {
    return pending_.empty() ? nullptr : &pending_.front().shape;
}

void Handle::on_attempt_failed(const FailedAttempt& attempt) {
    ready_.push_back([this, attempt] { notify(&HandleObserver::on_handle_attempt_failed, attempt); });
}

void Handle::on_local_fault(error_code ec) {
    ready_.push_back([this, ec] { notify(&HandleObserver::on_handle_fault, ec); });
}

/// Runs the functions that the callbacks have queued. They may submit requests, and may close this handle.
void Handle::run_ready() {
    if (running_ready_ || !reactor_.is_here()) return;
    const auto self = weak_from_this().lock();
    running_ready_ = true;
    for (announce_if_settled(); !ready_.empty(); announce_if_settled()) {
        auto function = std::move(ready_.front());
        ready_.pop_front();
        function();
    }
    running_ready_ = false;
}

} // namespace docent::zk
