// SPDX-License-Identifier: Apache-2.0
#include "barrier/barrier_wait_operation.hpp"

#include <utility>

namespace docent::detail {

BarrierWaitOperation::BarrierWaitOperation(std::shared_ptr<ClientView> view, std::string path, Done<> done)
    : ConnectedOperation(std::move(view), std::move(done)), path_(std::move(path)) {}

void BarrierWaitOperation::begin() {
    watch_ = zk::make_watch_sink([self = shared_from_this(), this](const WatchEvent& event) { on_event(event); });
    listener_ = view_->listen([weak = weak_from_this(), this](const SessionEvent& event) {
        if (const auto self = weak.lock()) on_session_event(event);
    });
    look_soon();
}

error_code BarrierWaitOperation::timeout_error() const {
    const bool connected = view_->session().state == SessionState::connected;
    return connected ? make_error_code(server_error::operation_timeout) : make_error_code(error::not_connected);
}

void BarrierWaitOperation::look_soon() {
    if (!std::exchange(looking_, true)) when_connected([this] { look(); });
}

/// As the leader knows it: a server that lags behind may not have heard yet that the barrier was set.
void BarrierWaitOperation::look() {
    if (!budget_) budget_.emplace(view_->retry_policy(), view_->now());
    ask_synced(zk::ExistsRequest{path_, watch_}, [this](const zk::Reply& reply) { on_seen(reply); });
}

void BarrierWaitOperation::on_seen(const zk::Reply& reply) {
    if (reply.ec == server_error::no_node) return end({});
    if (reply.ec == error::not_connected) return when_connected([this] { look(); });
    if (is_lost(reply.ec)) {
        const auto pause = budget_->next(reply.ec, view_->now(), view_->random());
        return pause ? after_pause(*pause, [this] { look(); }) : end(reply.ec);
    }
    if (reply.ec) return end(reply.ec);
    looking_ = false;
    budget_.reset();
    if (czxid_ != 0 && czxid_ != reply.stat.czxid) return end({}); // it has gone, and somebody has set it again
    czxid_ = reply.stat.czxid;
}

void BarrierWaitOperation::on_event(const WatchEvent& event) {
    if (!is_open()) return;
    if (event.type == WatchEventType::deleted && czxid_ != 0) return end({});
    if (event.type != WatchEventType::session_lost) look_soon(); // else with the next session
}

void BarrierWaitOperation::on_session_event(const SessionEvent& event) {
    if (event.state == SessionState::closed) return end(error::closed);
    // Also if the watch is still there: it does not tell that an ensemble has gone back to a state without the barrier.
    if (event.state == SessionState::connected) look_soon();
}

void BarrierWaitOperation::end(error_code ec) {
    const auto self = shared_from_this();
    listener_.reset();
    if (std::exchange(watch_, nullptr)) view_->forget_watch(path_, zk::WatchKind::exists);
    finish(ec);
}

} // namespace docent::detail
