// SPDX-License-Identifier: Apache-2.0
#include "zk/handle.hpp"

#include "zk/convert.hpp"
#include "zk/request_check.hpp"

#include <boost/asio/post.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace docent::zk {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// TEST-NET-1 (RFC 5737): never connected to.
constexpr auto nobodys_address = "192.0.2.1:1";

// Frames that one turn reads before others get theirs.
constexpr int frames_per_turn = 64;

/// How long one address may take: connecting to a dead one costs the C client two thirds of the session timeout, which would
/// leave no time for the next.
milliseconds connect_limit(milliseconds session_timeout, bool handshake) {
    return handshake ? std::max(session_timeout / 3, milliseconds{1'000}) : std::max(session_timeout / 6, milliseconds{300});
}

bool is_server_answer(const error_code& ec) {
    return !(ec == condition::outcome_unknown || ec == server_error::invalid_state || ec.category() == docent_category());
}

/// Answered before it could reach the leader: no proof that the session lives there.
bool turned_away(const error_code& ec) {
    return ec == server_error::throttled || ec == server_error::not_read_only || ec == server_error::session_moved;
}

std::optional<WatchEventType> to_watch_event_type(int type) {
    if (type == ZOO_CREATED_EVENT) return WatchEventType::created;
    if (type == ZOO_DELETED_EVENT) return WatchEventType::deleted;
    if (type == ZOO_CHANGED_EVENT) return WatchEventType::data_changed;
    if (type == ZOO_CHILD_EVENT) return WatchEventType::children_changed;
    return std::nullopt;
}

std::optional<WatchKind> watch_kind(const Request& request) {
    if (const auto* get = std::get_if<GetRequest>(&request); get && get->watch) return WatchKind::data;
    if (const auto* exists = std::get_if<ExistsRequest>(&request); exists && exists->watch) return WatchKind::exists;
    if (const auto* list = std::get_if<ChildrenRequest>(&request); list && list->watch) return WatchKind::children;
    if (const auto* config = std::get_if<GetConfigRequest>(&request); config && config->watch) return WatchKind::data;
    return std::nullopt;
}

WatchSink watch_sink(const Request& request) {
    return std::visit(
        [](const auto& r) -> WatchSink {
            if constexpr (requires { r.watch; }) return r.watch;
            else return nullptr;
        },
        request);
}

} // namespace

/// What the C client writes into while a multi is out.
struct Handle::MultiBuffers {
    explicit MultiBuffers(std::size_t count) : results(count), stats(count), paths(count), sets(count) {}

    std::vector<::zoo_op_result_t> results;
    std::vector<::Stat> stats;
    std::vector<std::vector<char>> paths;
    std::vector<bool> sets;

    std::vector<MultiResult> take() const {
        std::vector<MultiResult> taken;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const bool made = results[i].err == ZOK && results[i].value != nullptr;
            const bool set = results[i].err == ZOK && sets[i];
            taken.push_back({.ec = to_error_code(results[i].err),
                             .path = made ? std::string(results[i].value) : std::string(),
                             .stat = set ? std::optional(to_stat(&stats[i])) : std::nullopt});
        }
        return taken;
    }
};

/// A request that the C client has. It calls back for each exactly once, at the latest when the handle is closed.
struct Handle::Pending {
    Handle& handle;
    PendingList::iterator position;
    ReplyHandler handler;
    BootClock::time_point sent;
    bool by_leader;
    std::string watched_path;
    std::optional<WatchKind> kind;
    WatchSink sink;
    bool tainted = false; // already answered with connection_loss
    std::unique_ptr<MultiBuffers> multi = nullptr;
};

/// Entry points of the C client: they copy and leave.
struct Handle::Callbacks {
    static Pending& pending(const void* context) { return *static_cast<Pending*>(const_cast<void*>(context)); }

    static void finish(const void* context, Reply reply) {
        pending(context).handle.complete(pending(context), std::move(reply));
    }

    static void on_watch(zhandle_t*, int type, int state, const char* path, void* context) noexcept {
        auto& handle = *static_cast<Handle*>(context);
        if (type == ZOO_SESSION_EVENT) return handle.on_session_event(state);
        handle.on_watch_event(type, path);
    }
    static void on_void(int rc, const void* context) noexcept { finish(context, {.ec = to_error_code(rc)}); }
    static void on_string(int rc, const char*, const void* context) noexcept { finish(context, {.ec = to_error_code(rc)}); }
    static void on_string_stat(int rc, const char* path, const ::Stat* stat, const void* context) noexcept {
        finish(context, {.ec = to_error_code(rc), .path = path ? path : "", .stat = to_stat(stat)});
    }
    static void on_stat(int rc, const ::Stat* stat, const void* context) noexcept {
        finish(context, {.ec = to_error_code(rc), .stat = to_stat(stat)});
    }
    static void on_data(int rc, const char* data, int size, const ::Stat* stat, const void* context) noexcept {
        finish(context, {.ec = to_error_code(rc),
                         .data = data && size > 0 ? std::string(data, static_cast<std::size_t>(size)) : std::string(),
                         .stat = to_stat(stat)});
    }
    static void on_children(int rc, const ::String_vector* names, const ::Stat* stat, const void* context) noexcept {
        finish(context, {.ec = to_error_code(rc), .stat = to_stat(stat), .children = to_strings(names)});
    }
    static void on_acl(int rc, ::ACL_vector* acl, ::Stat* stat, const void* context) noexcept {
        finish(context, {.ec = to_error_code(rc), .stat = to_stat(stat), .acl = to_acl(acl)});
    }
    static void on_multi(int rc, const void* context) noexcept {
        finish(context, {.ec = to_error_code(rc), .results = pending(context).multi->take()});
    }
    static void on_auth(int, const void*) noexcept {} // a refusal arrives as a session event

    // Sends a request; returns the C client's code.
    struct Send {
        zhandle_t* zh;
        Handle* handle;
        Pending* pending;

        int operator()(const CreateRequest& r) const {
            const CAcl acl(r.acl);
            const int size = static_cast<int>(r.data.size());
            if (has_ttl(r.mode)) {
                return zoo_acreate2_ttl(zh, r.path.c_str(), r.data.data(), size, acl.get(), to_c_mode(r.mode), r.ttl.count(),
                                        on_string_stat, pending);
            }
            return zoo_acreate2(zh, r.path.c_str(), r.data.data(), size, acl.get(), to_c_mode(r.mode), on_string_stat, pending);
        }
        int operator()(const RemoveRequest& r) const { return zoo_adelete(zh, r.path.c_str(), r.version, on_void, pending); }
        int operator()(const SetRequest& r) const {
            return zoo_aset(zh, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()), r.version, on_stat, pending);
        }
        int operator()(const GetRequest& r) const {
            return zoo_awget(zh, r.path.c_str(), r.watch ? on_watch : nullptr, handle, on_data, pending);
        }
        int operator()(const ExistsRequest& r) const {
            return zoo_awexists(zh, r.path.c_str(), r.watch ? on_watch : nullptr, handle, on_stat, pending);
        }
        int operator()(const ChildrenRequest& r) const {
            return zoo_awget_children2(zh, r.path.c_str(), r.watch ? on_watch : nullptr, handle, on_children, pending);
        }
        int operator()(const SyncRequest& r) const { return zoo_async(zh, r.path.c_str(), on_string, pending); }

        int operator()(const GetAclRequest& r) const { return zoo_aget_acl(zh, r.path.c_str(), on_acl, pending); }
        int operator()(const SetAclRequest& r) const {
            CAcl acl(r.acl);
            return zoo_aset_acl(zh, r.path.c_str(), r.version, acl.get(), on_void, pending);
        }
        int operator()(const GetConfigRequest& r) const {
            return zoo_awgetconfig(zh, r.watch ? on_watch : nullptr, handle, on_data, pending);
        }
        int operator()(const ReconfigRequest& r) const {
            const auto text = [](const std::string& list) { return list.empty() ? nullptr : list.c_str(); };
            return zoo_areconfig(zh, text(r.joining), text(r.leaving), text(r.members), r.from_version, on_data, pending);
        }

        // The operations may go when zoo_amulti returns; what it writes to must stay.
        int operator()(const MultiRequest& r) const {
            if (is_unrecoverable(zh)) return ZINVALIDSTATE; // it would abort the process
            const std::size_t count = r.operations.size();
            pending->multi = std::make_unique<MultiBuffers>(count);
            std::vector<::zoo_op_t> operations(count);
            std::list<CAcl> acls;
            for (std::size_t i = 0; i < count; ++i) {
                std::visit([&](const auto& o) { fill(operations[i], *pending->multi, i, acls, o); }, r.operations[i]);
            }
            return zoo_amulti(zh, static_cast<int>(count), operations.data(), pending->multi->results.data(), on_multi,
                              pending);
        }
        static void fill(::zoo_op_t& to, MultiBuffers& buffers, std::size_t i, std::list<CAcl>& acls, const CreateRequest& r) {
            constexpr std::size_t digits = 10;
            auto& path = buffers.paths[i];
            path.resize(r.path.size() + digits + 1);
            zoo_create_op_init(&to, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()),
                               acls.emplace_back(r.acl).get(), to_c_mode(r.mode), path.data(), static_cast<int>(path.size()));
        }
        static void fill(::zoo_op_t& to, MultiBuffers& buffers, std::size_t i, std::list<CAcl>&, const SetRequest& r) {
            buffers.sets[i] = true;
            zoo_set_op_init(&to, r.path.c_str(), r.data.data(), static_cast<int>(r.data.size()), r.version, &buffers.stats[i]);
        }
        static void fill(::zoo_op_t& to, MultiBuffers&, std::size_t, std::list<CAcl>&, const RemoveRequest& r) {
            zoo_delete_op_init(&to, r.path.c_str(), r.version);
        }
        static void fill(::zoo_op_t& to, MultiBuffers&, std::size_t, std::list<CAcl>&, const CheckRequest& r) {
            zoo_check_op_init(&to, r.path.c_str(), r.version);
        }
    };
};

Handle::Handle(asio::any_io_executor executor, HandleOptions options, HandleObserver& observer)
    : executor_(std::move(executor)), options_(std::move(options)), observer_(&observer), timer_(executor_) {}

Handle::~Handle() {
    close(error::closed);
}

error_code Handle::open() {
    zoo_set_debug_level(static_cast<ZooLogLevel>(0)); // its log buffers are shared by all threads
    zh_ = zookeeper_init2(options_.servers.c_str(), Callbacks::on_watch, static_cast<int>(options_.session_timeout.count()),
                          nullptr, this, ZOO_NO_LOG_CLIENTENV, nullptr);
    if (zh_ == nullptr) return server_error::system_error;
    zoo_set_servers_resolution_delay(zh_, -1); // or it resolves on each call of zookeeper_interest
    for (const AuthInfo& auth : options_.auth) {
        const int rc = zoo_add_auth(zh_, auth.scheme.c_str(), auth.credentials.data(),
                                    static_cast<int>(auth.credentials.size()), Callbacks::on_auth, nullptr);
        if (rc != ZOK) return server_error::auth_failed;
    }
    schedule_pump();
    return {};
}

void Handle::submit(Request request, ReplyHandler handler) {
    error_code ec;
    if (!announced_) {
        ec = error::not_connected;
    } else {
        ec = check_request(request);
    }
    const auto kind = watch_kind(request);
    if (!ec && kind && !watches_.has_room(path_of(request), *kind)) ec = error::too_many_watches;
    if (ec) {
        ready_.push_back([handler = std::move(handler), ec] { handler({.ec = ec}); });
        return schedule_pump();
    }

    const bool by_leader = passes_leader(request);
    auto& pending = *pending_.emplace_back(
        new Pending{*this, {}, std::move(handler), BootClock::now(), by_leader, {}, kind, watch_sink(request)});
    pending.position = std::prev(pending_.end());
    if (kind) {
        pending.watched_path = path_of(request);
        watches_.reserve(pending.watched_path, *kind);
    }
    const int rc = std::visit(Callbacks::Send{zh_, this, &pending}, request);
    if (rc != ZOK) complete(pending, {.ec = rc == ZINVALIDSTATE ? make_error_code(error::not_connected) : to_error_code(rc)});
    if (zoo_state(zh_) == ZOO_NOTCONNECTED_STATE) on_silent_close();
    schedule_pump();
}

/// zoo_aremove_watches would leave the watch on the server; zoo_aremove_all_watches removes it there, and with it the C
/// client's own list when the reply comes. A read of the same path that is under way would lose its watch by that.
void Handle::forget_watch(const std::string& path, WatchKind kind) {
    if (!announced_ || !watches_.is_abandoned(path, kind)) return;
    struct Context {
        std::weak_ptr<Handle> handle;
        std::string path;
        WatchKind kind;
    };
    const auto on_removed = [](int rc, const void* data) {
        const std::unique_ptr<const Context> context(static_cast<const Context*>(data));
        const auto self = context->handle.lock();
        if (!self) return;
        self->watches_.end_removal(context->path, context->kind, rc == ZOK);
        if (rc != ZOK && rc != ZNOWATCHER) self->unforgotten_.emplace_back(context->path, context->kind);
    };
    watches_.begin_removal(path, kind);
    auto context = std::make_unique<Context>(Context{weak_from_this(), path, kind});
    const ZooWatcherType type = kind == WatchKind::children ? ZWATCHTYPE_CHILD : ZWATCHTYPE_DATA;
    void (*completion)(int, const void*) = on_removed;
    // Its parameter is declared as a pointer to a function pointer, but it takes the function itself.
    const int rc =
        zoo_aremove_all_watches(zh_, path.c_str(), type, 0, reinterpret_cast<void_completion_t*>(completion), context.get());
    if (rc == ZOK) static_cast<void>(context.release()); // the callback owns it now
    else watches_.end_removal(path, kind, false);
    if (zoo_state(zh_) == ZOO_NOTCONNECTED_STATE) on_silent_close();
    schedule_pump();
}

bool Handle::set_servers(const std::string& servers) {
    if (zh_ == nullptr || announced_ || c_connected_ || !pending_.empty()) return false;
    options_.servers = servers;
    // It compares addresses without their ports and would keep the old list if only those differ; so it gets another one
    // between.
    zoo_set_servers(zh_, nobodys_address);
    zoo_set_servers(zh_, servers.c_str());
    schedule_pump();
    return true;
}

void Handle::read_available() {
    if (socket_) drain();
}

void Handle::drop_connection() {
    if (zh_ == nullptr || !socket_) return;
    shut_socket();
    run_ready();
    pump();
}

void Handle::close(error_code reason) {
    if (zh_ == nullptr) return;
    close_reason_ = reason;
    forget_socket();
    timer_.cancel();
    timer_deadline_.reset();
    dead_ = true;
    announced_ = false;
    zookeeper_close(std::exchange(zh_, nullptr)); // completes what is pending with ZCLOSING
    observer_ = nullptr;
    if (reason != error::closed) end_watches();
    watches_ = {};
    run_ready();
}

void Handle::complete(Pending& pending, Reply reply) {
    std::unique_ptr<Pending> owner = std::move(*pending.position);
    pending_.erase(owner->position);
    if (owner->kind) watches_.unreserve(owner->watched_path, *owner->kind);
    if (owner->tainted) {
        --tainted_;
        return;
    }
    if (reply.ec == server_error::closing) reply.ec = close_reason_;
    // The C client has registered its watch with this very reply.
    std::optional<WatchKind> watched;
    if (owner->kind && (!reply.ec || (*owner->kind == WatchKind::exists && reply.ec == server_error::no_node))) {
        watches_.add(owner->watched_path, *owner->kind, owner->sink);
        watched = owner->kind;
    }
    const bool answered = is_server_answer(reply.ec);
    const bool by_leader = owner->by_leader && !turned_away(reply.ec);
    ready_.push_back([this, answered, sent = owner->sent, by_leader, handler = std::move(owner->handler),
                      reply = std::move(reply), watched, path = std::move(owner->watched_path)]() mutable {
        if (answered) notify(&HandleObserver::on_handle_answer, sent, by_leader);
        std::exchange(handler, nullptr)(std::move(reply));
        if (watched) forget_watch(path, *watched); // unless somebody still waits
    });
}

void Handle::on_session_event(int state) {
    if (dead_) return;
    if (state == ZOO_CONNECTED_STATE || state == ZOO_READONLY_STATE) {
        c_connected_ = true;
        read_only_ = state == ZOO_READONLY_STATE;
        attempting_ = false;
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
    auto told = watches_.take(path, *event_type);
    if (told.empty()) return;
    ready_.push_back([told = std::move(told), event = WatchEvent{*event_type, path}] {
        for (const WatchSink& sink : told) (*sink)(event);
    });
}

void Handle::end_watches() {
    auto told = watches_.take_all();
    ready_.push_back([told = std::move(told)] {
        for (const auto& [path, sink] : told) (*sink)({WatchEventType::session_lost, path});
    });
}

/// A send failed inside zoo_a*: the C client has closed its socket, keeps all requests, and says nothing to anybody
/// (ZOOKEEPER-4210). It will send some of them again, so nothing new may go out before it is rid of them.
void Handle::on_silent_close() {
    if (!c_connected_) return;
    c_connected_ = false;
    forget_socket();
    if (std::exchange(announced_, false)) ready_.push_back([this] { notify(&HandleObserver::on_handle_disconnected); });
    for (const auto& pending : pending_) {
        if (std::exchange(pending->tainted, true)) continue;
        ++tainted_;
        ready_.push_back([handler = std::move(pending->handler)] { handler({.ec = server_error::connection_loss}); });
    }
}

void Handle::announce_if_settled() {
    if (!c_connected_ || tainted_ > 0 || announced_ || dead_ || zh_ == nullptr) return;
    announced_ = true;
    const HandleObserver::Connected connected{zoo_client_id(zh_)->client_id, milliseconds{zoo_recv_timeout(zh_)}, read_only_,
                                              attempt_started_};
    ready_.push_back([this, connected] {
        notify(&HandleObserver::on_handle_connected, connected);
        for (const auto& [path, kind] : std::exchange(unforgotten_, {})) forget_watch(path, kind);
    });
}

/// Runs what the callbacks have left. What runs may submit, and may close this handle.
void Handle::run_ready() {
    if (running_ready_) return;
    const auto self = weak_from_this().lock();
    running_ready_ = true;
    for (announce_if_settled(); !ready_.empty(); announce_if_settled()) {
        auto function = std::move(ready_.front());
        ready_.pop_front();
        function();
    }
    running_ready_ = false;
}

void Handle::pump() {
    if (zh_ == nullptr) return;
    const auto now = BootClock::now();
    if (now - std::exchange(last_pump_, now) > options_.session_timeout / 10) drain_if_readable();
    if (zh_ == nullptr) return;
    if (is_unrecoverable(zh_)) return forget_socket();
    if (attempt_overdue()) shut_socket();
    const int before = zoo_state(zh_);
    if (before == 0 || before == ZOO_NOTCONNECTED_STATE) {
        forget_socket();
        if (std::exchange(attempting_, false)) {
            ready_.push_back([this, refused = handshaking_] { notify(&HandleObserver::on_handle_attempt_failed, refused); });
        }
    }

    int fd = -1;
    int interest = 0;
    timeval wait{};
    const int rc = zookeeper_interest(zh_, &fd, &interest, &wait);
    milliseconds delay =
        std::chrono::seconds{wait.tv_sec} + std::chrono::duration_cast<milliseconds>(std::chrono::microseconds{wait.tv_usec});
    const int state = zoo_state(zh_);
    if (state == ZOO_CONNECTING_STATE || state == ZOO_ASSOCIATING_STATE) {
        if (!std::exchange(attempting_, true)) attempt_started_ = now;
        handshaking_ = state == ZOO_ASSOCIATING_STATE;
    }

    if (rc != ZOK || fd < 0 || interest == 0) {
        forget_socket();
        delay = std::max(delay, milliseconds{rc == ZSYSTEMERROR ? 100 : 1});
    } else {
        wait_on(fd, interest);
    }
    if (attempting_) delay = std::min(delay, milliseconds{50}); // to see when it is overdue
    run_ready();
    if (zh_ != nullptr && !is_unrecoverable(zh_)) arm_timer(std::max(delay, milliseconds{1}));
}

void Handle::schedule_pump() {
    if (std::exchange(pump_scheduled_, true)) return;
    asio::post(executor_, [weak = weak_from_this()] {
        const auto self = weak.lock();
        if (!self) return;
        self->pump_scheduled_ = false;
        self->run_ready();
        self->pump();
    });
}

void Handle::drain() {
    for (int i = 0; i < frames_per_turn && zh_ != nullptr; ++i) {
        if (zookeeper_process(zh_, ZOOKEEPER_READ) != ZOK) break;
    }
    run_ready();
}

/// zookeeper_interest() looks at the clock alone: when this process stood still, it would time a connection out whose answers
/// are waiting to be read.
void Handle::drain_if_readable() {
    if (!socket_) return;
    pollfd readable{socket_->native_handle(), POLLIN, 0};
    if (::poll(&readable, 1, 0) > 0) drain();
}

void Handle::wait_on(int fd, int interest) {
    if (!socket_ || zoo_state(zh_) != ZOO_CONNECTED_STATE) {
        // Another socket may have got the same number: never rely on it (zookeeper-c-client.md 1.6).
        forget_socket();
        fcntl(fd, F_SETFD, FD_CLOEXEC);
        const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
        if (copy < 0) return; // out of descriptors; the timer comes back here
        socket_.emplace(executor_, copy);
    }
    using wait_type = asio::posix::stream_descriptor::wait_type;
    const auto handler = [this](bool Handle::*armed, auto act) {
        return [weak = weak_from_this(), generation = socket_generation_, armed, act](const error_code& ec) {
            const auto self = weak.lock();
            if (!self || ec || generation != self->socket_generation_ || self->zh_ == nullptr) return;
            (*self).*armed = false;
            act(*self);
            self->pump();
        };
    };
    if (!std::exchange(read_armed_, true)) {
        socket_->async_wait(wait_type::wait_read, handler(&Handle::read_armed_, [](Handle& h) { h.drain(); }));
    }
    if ((interest & ZOOKEEPER_WRITE) != 0 && !std::exchange(write_armed_, true)) {
        socket_->async_wait(wait_type::wait_write, handler(&Handle::write_armed_, [](Handle& h) {
                                zookeeper_process(h.zh_, ZOOKEEPER_WRITE);
                                h.run_ready();
                            }));
    }
}

void Handle::forget_socket() {
    ++socket_generation_;
    read_armed_ = false;
    write_armed_ = false;
    socket_.reset();
}

void Handle::shut_socket() {
    ::shutdown(socket_->native_handle(), SHUT_RDWR);
    zookeeper_process(zh_, ZOOKEEPER_READ | ZOOKEEPER_WRITE);
}

bool Handle::attempt_overdue() const {
    if (!attempting_ || !socket_) return false;
    const bool handshake = zoo_state(zh_) == ZOO_ASSOCIATING_STATE;
    return BootClock::now() - attempt_started_ > connect_limit(options_.session_timeout, handshake);
}

void Handle::arm_timer(milliseconds delay) {
    const auto deadline = steady_clock::now() + delay;
    if (timer_deadline_ && *timer_deadline_ <= deadline) return;
    timer_deadline_ = deadline;
    timer_.expires_at(deadline);
    timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
        const auto self = weak.lock();
        if (self && !ec) self->on_timer();
    });
}

void Handle::on_timer() {
    timer_deadline_.reset();
    drain_if_readable();
    pump();
}

} // namespace docent::zk
