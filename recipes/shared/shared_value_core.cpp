// SPDX-License-Identifier: Apache-2.0
#include "shared/shared_value_core.hpp"

#include "base/while_alive.hpp"
#include "client/data/data_codec.hpp"
#include "client/operations/request_operation.hpp"

#include <utility>

namespace docent::detail {
namespace {

constexpr std::chrono::seconds again_after{1};

} // namespace

VersionedValue SharedValueCore::value() const {
    if (!view_->is_here()) return {-1, seed_};
    const std::lock_guard lock(mutex_);
    return value_;
}

error_code SharedValueCore::learn(std::string data, const Stat& stat, bool was_read) {
    if (const auto ec = decode_data(view_->config(), path_, Compression::client_default, data)) return ec;
    VersionedValue now{stat.version, std::move(data)};
    bool is_change = true;
    {
        const std::lock_guard lock(mutex_);
        is_change = !was_read || value_.version >= 0; // otherwise this is the first value
        if (stat.mzxid <= mzxid_) return {};          // a server that lags behind, or this client's own write again
        mzxid_ = stat.mzxid;
        value_ = now;
    }
    listeners_.tell(now);
    if (is_change) change_listeners_.tell(now);
    return {};
}

Registration SharedValueCore::listen(Listener listener, Hears hears) {
    return (hears == Hears::changes ? change_listeners_ : listeners_).add(std::move(listener));
}

void SharedValueCore::follow(std::function<void(error_code)> done) {
    waiting_.push_back(std::move(done));
    was_started_ = true;
    if (!std::exchange(following_, true)) {
        watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
            watched_ = false;
            if (event.type != WatchEventType::session_lost) read(); // otherwise the next session reads
        }));
        session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session_event(event); }));
    }
    read();
}

void SharedValueCore::refresh(std::function<void(error_code)> done) {
    if (!following_) return done({});
    waiting_.push_back(std::move(done));
    read(); // a read that is under way is late enough as well
}

void SharedValueCore::stop() {
    following_ = false;
    if (std::exchange(watch_, nullptr)) view_->forget_watch(path_, zk::WatchKind::data);
    session_.reset();
    timer_.reset();
}

void SharedValueCore::on_session_event(const SessionEvent& event) {
    // Also with a watch: a watch reports newer changes only, and not that the servers were restored from older data.
    if (event.state == SessionState::connected) read();
}

void SharedValueCore::read() {
    if (!following_ || std::exchange(busy_, true)) return;
    std::make_shared<RequestOperation>(view_, zk::GetRequest{path_, watch_},
                                       [self = shared_from_this()](error_code ec, const zk::Reply& reply) {
                                           self->busy_ = false;
                                           self->on_read(ec, reply);
                                       })
        ->begin();
}

void SharedValueCore::on_read(error_code ec, const zk::Reply& reply) {
    if (ec == server_error::no_node && following_) {
        synced_ = false;
        await_node();
        return tell(ec);
    }
    watched_ = !ec;
    if (!ec && is_older(reply.stat)) {
        if (!std::exchange(synced_, false)) return sync();
        const std::lock_guard lock(mutex_);
        mzxid_ = 0; // the leader has no newer value: it was restored from older data
    }
    synced_ = false;
    if (!ec) ec = learn_read(reply.data, reply.stat);
    else if (ec == condition::retryable) read_later();
    tell(ec);
}

bool SharedValueCore::is_older(const Stat& stat) const {
    const std::lock_guard lock(mutex_);
    return stat.mzxid < mzxid_;
}

/// Sends a sync and reads again: the last answer may come from a server that lags behind.
void SharedValueCore::sync() {
    if (std::exchange(busy_, true)) return;
    std::make_shared<RequestOperation>(view_, zk::SyncRequest{path_},
                                       [self = shared_from_this()](error_code ec, const zk::Reply&) {
                                           self->busy_ = false;
                                           self->synced_ = !ec;
                                           if (!ec) return self->read();
                                           self->watched_ = false;
                                           if (ec == condition::retryable) self->read_later();
                                           self->tell(ec);
                                       })
        ->begin();
}

/// Reads again after a pause, or after the next connect.
void SharedValueCore::read_later() {
    const auto read_again = [this] {
        if (!watched_) read();
    };
    timer_ = view_->call_after(again_after, while_alive(weak_from_this(), read_again));
}

void SharedValueCore::await_node() {
    if (std::exchange(busy_, true)) return;
    std::make_shared<RequestOperation>(view_, zk::ExistsRequest{path_, watch_},
                                       [self = shared_from_this()](error_code ec, const zk::Reply&) {
                                           self->busy_ = false;
                                           self->watched_ = !ec || ec == server_error::no_node;
                                           if (!ec) self->read(); // the node exists by now
                                           else if (ec == condition::retryable) self->read_later();
                                       })
        ->begin();
}

void SharedValueCore::tell(error_code ec) {
    for (const auto& done : std::exchange(waiting_, {})) done(ec);
}

} // namespace docent::detail
