// SPDX-License-Identifier: Apache-2.0
#include "client/events/event_source.hpp"

#include "base/while_alive.hpp"
#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"

#include <docent/session_events.hpp>
#include <docent/watch.hpp>

namespace docent {

namespace detail {

void SessionEventQueue::open() {
    push(view()->session());
    listener_ = view()->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) { push(event); }));
}

void SessionEventQueue::push(const SessionEvent& event) {
    mailbox()->push(event);
    if (event.state == SessionState::closed) mailbox()->close(error::closed);
}

zk::WatchSink WatchState::open() {
    sink_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        mailbox()->push_last({event.type, path_});
    }));
    const auto on_session_event = [this](const SessionEvent& event) {
        if (event.state == SessionState::closed) mailbox()->close(error::closed);
    };
    view()->post(while_alive(weak_from_this(), [this, on_session_event] {
        close_listener_ = view()->listen(while_alive(weak_from_this(), on_session_event));
    }));
    return sink_;
}

WatchState::~WatchState() {
    if (!sink_) return;
    sink_.reset();
    try {
        view()->post([view = view(), path = std::move(path_), kind = kind_] { view->forget_watch(path, kind); });
    } catch (...) {
        // Without memory, the watch stays on the server until it fires.
    }
}

// The functions of both public classes. `source` is null for an empty object, and for an object that was moved from.
namespace {

/// Waits for the next event. At most one reader may wait at a time.
template <typename Event> void initiate_read(const EventSource<Event>* source, CallOptions call, Handler<Event> handler) {
    if (!source) return complete_empty<Event>(std::move(handler), error::closed);
    const auto make = [source](const std::shared_ptr<ClientView>&, Done<Event> done) {
        return std::make_shared<MailboxRead<Event>>(source->mailbox(), std::move(done));
    };
    launch<Event>(source->view(), {}, std::move(call), std::move(handler), make);
}

template <typename Event> Event block_on_read(const EventSource<Event>* source, CallOptions call, error_code& ec) {
    return block_on<Event>(
        source ? source->view() : nullptr, std::move(call), ec,
        [&](CallOptions options, auto handler) { initiate_read<Event>(source, std::move(options), std::move(handler)); },
        BeforeStart::goes_on); // the first session event is the present state
}

/// Moves the source of `from` to `to`. Ends a read of the earlier source of `to`.
template <typename SourcePtr> void replace_source(SourcePtr& to, SourcePtr& from) noexcept {
    if (&to == &from) return;
    if (const auto before = std::exchange(to, std::move(from))) before->end_read();
}

} // namespace

asio::any_io_executor executor_of(const SessionEventQueue& queue) {
    return queue.view()->executor();
}

void initiate_next_event(const std::shared_ptr<SessionEventQueue>& queue, CallOptions call, Handler<SessionEvent> handler) {
    initiate_read<SessionEvent>(queue.get(), std::move(call), std::move(handler));
}

asio::any_io_executor executor_of(const WatchState& state) {
    return state.view()->executor();
}

void initiate_watch_wait(const std::shared_ptr<WatchState>& state, CallOptions call, Handler<WatchEvent> handler) {
    initiate_read<WatchEvent>(state.get(), std::move(call), std::move(handler));
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
    return detail::throwing("next", "session event", [&](error_code& ec) { return next(ec, std::move(call)); });
}

Watch::Watch(std::shared_ptr<detail::WatchState> state) {
    core_ = std::move(state);
}

Watch& Watch::operator=(Watch&& other) noexcept {
    detail::replace_source(core_, other.core_);
    return *this;
}

Watch::~Watch() {
    if (core_) core_->end_read();
}

WatchEvent Watch::wait(error_code& ec, CallOptions call) {
    return detail::block_on_read<WatchEvent>(core_.get(), std::move(call), ec);
}

WatchEvent Watch::wait(CallOptions call) {
    return detail::throwing("wait for", "watch", [&](error_code& ec) { return wait(ec, std::move(call)); });
}

} // namespace docent
