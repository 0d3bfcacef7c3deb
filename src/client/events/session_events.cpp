// SPDX-License-Identifier: Apache-2.0

#include "client/events/session_events.hpp"

#include "base/while_alive.hpp"

#include <docent/session_events.hpp>

namespace docent {

namespace detail {

void SessionEventQueue::open() {
    push(view()->session());
    listener_ = view()->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { push(event); }));
}

void SessionEventQueue::push(const SessionEvent& event) {
    mailbox().push(event);
    if (event.state == SessionState::closed) mailbox().close(error::closed);
}

asio::any_io_executor executor_of(const SessionEventQueue& queue) {
    return queue.view()->executor();
}

void initiate_next_event(const std::shared_ptr<SessionEventQueue>& queue, CallOptions call, Handler<SessionEvent> handler) {
    initiate_read<SessionEvent>(queue.get(), std::move(call), std::move(handler));
}

} // namespace detail

SessionEvents::SessionEvents(std::shared_ptr<detail::SessionEventQueue> queue) {
    core_ = std::move(queue);
}

SessionEvents& SessionEvents::operator=(SessionEvents&& other) noexcept {
    detail::replace_source(core_, other.core_);
    return *this;
}

SessionEvents::~SessionEvents() {
    if (core_) core_->end_read();
}

SessionEvent SessionEvents::next(error_code& ec, CallOptions call) {
    return detail::block_on_read<SessionEvent>(core_.get(), std::move(call), ec);
}

SessionEvent SessionEvents::next(CallOptions call) {
    return detail::block_on_read<SessionEvent>(core_.get(), std::move(call), "next", "session event");
}

} // namespace docent
