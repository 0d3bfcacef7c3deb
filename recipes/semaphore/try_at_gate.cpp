// SPDX-License-Identifier: Apache-2.0
#include "semaphore/try_at_gate.hpp"

#include "base/time_over.hpp"
#include "base/while_alive.hpp"
#include "queue/contender.hpp"

#include <algorithm>
#include <utility>

namespace docent::detail {

TryAtGate::TryAtGate(std::shared_ptr<ClientView> view, std::string leases, std::function<bool(std::int32_t)> enough,
                     std::function<void(error_code)> give_up)
    : view_(std::move(view)), leases_(std::move(leases)), enough_(std::move(enough)), give_up_(std::move(give_up)) {}

void TryAtGate::start() {
    session_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { on_session(event); }));
    if (view_->session().state == SessionState::connected) on_connected();
}

void TryAtGate::on_session(const SessionEvent& event) {
    if (event.state == SessionState::connected) return on_connected();
    if (connected_since_) left_ -= view_->now() - *std::exchange(connected_since_, std::nullopt);
    timer_.reset();
}

void TryAtGate::on_connected() {
    connected_since_ = view_->now();
    timer_ = view_->call_at(*connected_since_ + std::max(left_, steady_clock::duration::zero()),
                            while_alive(weak_from_this(), [this] { give_up(error::not_acquired); }));
    look(); // the answer to an earlier look is lost
}

void TryAtGate::look() {
    watch_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        if (event.type != WatchEventType::session_lost) look();
    }));
    const auto on_reply = [this, watch = watch_](const zk::Reply& reply) {
        if (watch_ == watch) on_looked(reply);
    };
    view_->submit(zk::ChildrenRequest{leases_, watch_}, while_alive(weak_from_this(), on_reply));
}

void TryAtGate::on_looked(const zk::Reply& reply) {
    if (reply.ec && reply.ec != server_error::no_node) {
        const bool looks_again = is_lost(reply.ec) || reply.ec == error::not_connected || reply.ec == condition::session_ended;
        if (!looks_again) give_up(reply.ec);
        return;
    }
    const auto out = static_cast<std::int32_t>(sorted_queue(lease_names(), reply.children).size());
    if (!enough_(out)) give_up(error::not_acquired);
}

void TryAtGate::give_up(error_code ec) {
    stop();
    if (give_up_) std::exchange(give_up_, nullptr)(ec);
}

void TryAtGate::stop() {
    session_.reset();
    timer_.reset();
    if (std::exchange(watch_, nullptr)) view_->forget_watch(leases_, zk::WatchKind::children);
}

} // namespace docent::detail
