// SPDX-License-Identifier: Apache-2.0
#include "semaphore/try_at_gate.hpp"

#include "client/core/connection_wait.hpp"
#include "queue/contender.hpp"

#include <utility>

namespace docent::detail {

TryAtGate::TryAtGate(std::shared_ptr<ClientView> view, std::string leases, std::function<bool(std::int32_t)> enough,
                     std::function<void()> give_up)
    : view_(std::move(view)), leases_(std::move(leases)), enough_(std::move(enough)), give_up_(std::move(give_up)) {}

void TryAtGate::look() {
    if (!session_) {
        session_ = view_->listen([weak = weak_from_this()](const SessionEvent& event) {
            const auto self = weak.lock();
            if (self && event.state == SessionState::connected) self->look(); // what was under way before is lost
        });
    }
    watch_ = zk::make_watch_sink([weak = weak_from_this()](const WatchEvent& event) {
        const auto self = weak.lock();
        if (self && event.type != WatchEventType::session_lost) self->look();
    });
    view_->submit(zk::ChildrenRequest{leases_, watch_}, [weak = weak_from_this(), watch = watch_](const zk::Reply& reply) {
        const auto self = weak.lock();
        if (self && self->watch_ == watch) self->on_looked(reply);
    });
}

void TryAtGate::on_looked(const zk::Reply& reply) {
    if (reply.ec && reply.ec != server_error::no_node) return; // who waits at the gate will hear of it
    const auto out = static_cast<std::int32_t>(sorted_queue(lease_names(), reply.children).size());
    if (!enough_(out)) return give_up();
    if (timer_) return;
    timer_ = view_->call_after(patience, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->give_up();
    });
}

void TryAtGate::give_up() {
    stop();
    if (give_up_) std::exchange(give_up_, nullptr)();
}

void TryAtGate::stop() {
    if (std::exchange(watch_, nullptr)) view_->forget_watch(leases_, zk::WatchKind::children);
}

} // namespace docent::detail
