// SPDX-License-Identifier: Apache-2.0
#include <docent/session_events.hpp>

#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/events/session_event_queue.hpp"

namespace docent {
namespace detail {

void SessionEventQueue::open() {
    push(core_->session());
    listener_ = core_->listen([weak = weak_from_this()](const SessionEvent& event) {
        if (const auto self = weak.lock()) self->push(event);
    });
}

void SessionEventQueue::push(const SessionEvent& event) {
    mailbox_->push(event);
    if (event.state == SessionState::closed) mailbox_->close(error::closed);
}

asio::any_io_executor executor_of(const SessionEventQueue& queue) {
    return queue.core()->executor();
}

void initiate_next_event(const std::shared_ptr<SessionEventQueue>& queue, CallOptions call, Handler<SessionEvent> handler) {
    if (!queue) return complete_empty<SessionEvent>(std::move(handler), error::closed);
    const auto make = [queue](const ClientViewPtr&, Done<SessionEvent> done) {
        return std::make_shared<MailboxRead<SessionEvent>>(queue->mailbox(), std::move(done));
    };
    launch<SessionEvent>(queue->core(), {}, std::move(call), std::move(handler), make);
}

namespace {

void end_read(const std::shared_ptr<SessionEventQueue>& queue) noexcept {
    if (queue) cancel_read(*queue->core(), queue->mailbox());
}

} // namespace
} // namespace detail

SessionEvents::SessionEvents(std::shared_ptr<detail::SessionEventQueue> queue) {
    core_ = std::move(queue);
}

SessionEvents& SessionEvents::operator=(SessionEvents&& other) noexcept {
    if (this != &other) detail::end_read(std::exchange(core_, std::move(other.core_)));
    return *this;
}

SessionEvents::~SessionEvents() {
    detail::end_read(core_);
}

SessionEvent SessionEvents::next(error_code& ec, CallOptions call) {
    const auto view = core_ ? core_->core() : nullptr;
    return detail::block_on<SessionEvent>(view, std::move(call), ec, [this](CallOptions options, auto handler) {
        detail::initiate_next_event(core_, std::move(options), std::move(handler));
    });
}

SessionEvent SessionEvents::next(CallOptions call) {
    error_code ec;
    SessionEvent event = next(ec, std::move(call));
    detail::throw_if(ec, "next", "session event");
    return event;
}

} // namespace docent
