// SPDX-License-Identifier: Apache-2.0
#include "client/core.hpp"

#include "client/connection_wait.hpp"
#include "client/local_address.hpp"
#include "zk/request_check.hpp"

#include <docent/path.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>

#include <algorithm>
#include <utility>

namespace docent::detail {
namespace {

template <typename Executor> bool runs_here(const asio::any_io_executor& executor) {
    const auto* target = executor.target<Executor>();
    return target != nullptr && target->running_in_this_thread();
}

using Strand = asio::strand<asio::any_io_executor>;

/// Calls `function` with every path in the request, to be changed.
void for_each_path(zk::Request& request, const auto& function) {
    std::visit(
        [&function](auto& r) {
            if constexpr (requires { r.path; }) function(r.path);
            else
                for (auto& operation : r.operations) std::visit([&function](auto& o) { function(o.path); }, operation);
        },
        request);
}

/// Calls `function` with every create in the request.
void for_each_create(zk::Request& request, const auto& function) {
    if (auto* create = std::get_if<zk::CreateRequest>(&request)) return function(*create);
    auto* multi = std::get_if<zk::MultiRequest>(&request);
    if (multi == nullptr) return;
    for (auto& operation : multi->operations) {
        if (auto* create = std::get_if<zk::CreateRequest>(&operation)) function(*create);
    }
}

template <typename T> void purge(std::vector<std::weak_ptr<T>>& registered) {
    std::erase_if(registered, [](const auto& weak) { return weak.expired(); });
}

/// Calls all that are registered now, but none that an earlier one has dropped.
template <typename T> void for_each_live(std::vector<std::weak_ptr<T>>& registered, const auto& function) {
    purge(registered);
    for (const auto& weak : std::vector(registered)) {
        if (const auto live = weak.lock()) function(*live);
    }
}

} // namespace

ClientCore::ClientCore(std::optional<asio::any_io_executor> executor, ClientConfig config)
    : config_(std::move(config)), holder_(config_.holder.empty() ? local_address() : config_.holder),
      removals_([this](zk::Request request, zk::ReplyHandler handler) { submit(std::move(request), std::move(handler)); }),
      random_(std::random_device{}()) {
    session::ConnectString connect = session::parse_connect_string(config_.connect_string, config_fault_);
    servers_ = std::move(connect.servers);
    prefix_ = std::move(connect.chroot);
    if (!config_.name_space.empty()) prefix_ += "/" + config_.name_space;
    if (config_fault_.empty()) config_fault_ = check_config();
    snapshot_.timeout = config_.session_timeout;
    if (executor) {
        outer_executor_ = *executor;
        executor_ = asio::make_strand(*executor);
    } else {
        thread_ = std::make_unique<IoThread>();
        executor_ = thread_->executor();
    }
}

std::string ClientCore::check_config() const {
    using namespace std::chrono_literals;
    if (config_.session_timeout < 1s) return "session_timeout must be at least one second";
    if (config_.session_timeout > 24h) return "session_timeout must be at most one day";
    if (config_.connection_timeout <= 0ms) return "connection_timeout must be positive";
    if (config_.default_acl.empty()) return "default_acl must not be empty";
    if (!prefix_.empty() && check_path(prefix_)) return "name_space: " + explain_path(prefix_);
    return {};
}

void ClientCore::start() {
    if (!config_fault_.empty()) throw Error(error::invalid_config, config_fault_);
    {
        const std::lock_guard lock(snapshot_mutex_);
        if (std::exchange(started_, true)) return;
    }
    post([self = shared_from_this()] {
        if (self->closed_) return;
        session::SessionOptions options{self->servers_, self->config_.session_timeout, self->config_.auth};
        self->session_ = std::make_shared<session::Session>(self->executor_, std::move(options), *self);
        self->session_->start();
    });
}

void ClientCore::close(std::function<void()> done) {
    post([self = shared_from_this(), done = std::move(done)] {
        if (!std::exchange(self->closed_, true)) {
            if (self->session_) {
                self->session_->close();
            } else {
                SessionEvent closed = self->event_;
                closed.state = SessionState::closed;
                self->on_session_event(closed);
            }
        }
        if (done) done();
    });
}

SessionEvent ClientCore::last_event() const {
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_.event;
}

std::chrono::milliseconds ClientCore::negotiated_timeout() const {
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_.timeout;
}

std::string ClientCore::last_connect_error() const {
    const std::lock_guard lock(snapshot_mutex_);
    return snapshot_.connect_error;
}

bool ClientCore::running_in_this_thread() const {
    if (runs_here<asio::io_context::executor_type>(executor_) || runs_here<Strand>(executor_)) return true;
    // The strand may be free, but a context with one thread would have nobody to run it.
    return outer_executor_ && (runs_here<asio::io_context::executor_type>(outer_executor_) ||
                               runs_here<asio::thread_pool::executor_type>(outer_executor_));
}

void ClientCore::post(std::function<void()> function) {
    asio::post(executor_, std::move(function));
}

std::string ClientCore::to_real(const std::string& path) const {
    if (prefix_.empty()) return path;
    return path == "/" ? prefix_ : prefix_ + path;
}

std::string ClientCore::from_real(const std::string& path) const {
    if (prefix_.empty() || !path.starts_with(prefix_)) return path;
    return path.size() == prefix_.size() ? "/" : path.substr(prefix_.size());
}

void ClientCore::submit(zk::Request request, zk::ReplyHandler handler) {
    bool creates = false;
    for_each_create(request, [&](zk::CreateRequest& create) {
        creates = true;
        if (create.acl.empty()) create.acl = config_.default_acl;
    });
    error_code ec;
    if (closed_ || !session_) ec = error::closed;
    else ec = zk::check_request(request); // before the prefix can make a path valid that is not
    if (ec) return post([handler = std::move(handler), ec] { handler({.ec = ec}); });

    if (has_prefix()) {
        for_each_path(request, [this](std::string& path) { path = to_real(path); });
        if (creates) {
            handler = [this, self = weak_from_this(), handler = std::move(handler)](zk::Reply reply) {
                const auto alive = self.lock();
                if (alive && reply.ec == server_error::no_node) make_prefix();
                if (!reply.ec) reply.path = from_real(reply.path);
                for (zk::MultiResult& result : reply.results) result.path = from_real(result.path);
                handler(std::move(reply));
            };
        }
    }
    session_->submit(std::move(request), std::move(handler));
}

void ClientCore::make_prefix() {
    for (zk::Request& request : requests_for_parents(prefix_ + "/child", Parents::container)) {
        std::get<zk::CreateRequest>(request).acl = config_.default_acl;
        session_->submit(std::move(request), [](const zk::Reply&) {});
    }
}

SessionEvent ClientCore::session() const {
    return event_;
}

std::shared_ptr<session::SessionClock> ClientCore::session_clock() const {
    return session_ ? session_->clock() : nullptr;
}

Registration ClientCore::listen(std::function<void(const SessionEvent&)> listener) {
    auto registration = std::make_shared<Listener>(std::move(listener));
    listeners_.push_back(registration);
    if (listeners_.size() >= purge_at_) {
        purge(listeners_);
        purge_at_ = std::max<std::size_t>(64, 2 * listeners_.size());
    }
    return registration;
}

Registration ClientCore::call_at(steady_clock::time_point when, std::function<void()> function) {
    struct Timer {
        asio::steady_timer timer;
        std::function<void()> function;
    };
    auto timer = std::make_shared<Timer>(Timer{asio::steady_timer(executor_, when), std::move(function)});
    timer->timer.async_wait([weak = std::weak_ptr(timer)](const error_code& ec) {
        const auto alive = weak.lock();
        if (!alive || ec) return;
        const auto call = std::move(alive->function); // it may drop its own registration
        call();
    });
    return timer;
}

void ClientCore::remove_in_background(RemovalOrder order, std::function<void()> done) {
    if (closed_ || !session_) {
        if (done) post(std::move(done)); // the session's end has removed, or will remove, what was ephemeral
        return;
    }
    removals_.add(std::move(order), is_connected(session().state),
                  done ? [this, done]() { post(done); } : std::function<void()>());
}

void ClientCore::keep_alive(std::weak_ptr<KeptAlive> object) {
    kept_alive_.push_back(std::move(object));
    if (session_) session_->set_frequent_heartbeats(true);
}

std::string ClientCore::new_guid() {
    return boost::uuids::to_string(uuids_());
}

void ClientCore::on_session_event(const SessionEvent& event) {
    {
        const std::lock_guard lock(snapshot_mutex_);
        snapshot_.event = event_ = event;
        if (session_) snapshot_.timeout = session_->timeout();
    }
    const auto self = shared_from_this();
    if (is_connected(event.state)) removals_.on_connected();
    if (event.state == SessionState::closed) removals_.on_closed();
    for_each_live(kept_alive_, [&event](KeptAlive& object) { object.on_session_event(event); });
    for_each_live(listeners_, [&event](const Listener& listener) { listener(event); });
}

void ClientCore::on_heartbeat() {
    removals_.on_heartbeat();
    purge(kept_alive_);
    session_->set_frequent_heartbeats(!kept_alive_.empty());
    for_each_live(kept_alive_, [](KeptAlive& object) { object.on_heartbeat(); });
}

void ClientCore::on_connect_error(const std::string& text) {
    const std::lock_guard lock(snapshot_mutex_);
    snapshot_.connect_error = text;
}

} // namespace docent::detail
