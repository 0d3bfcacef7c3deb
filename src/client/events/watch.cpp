// SPDX-License-Identifier: Apache-2.0
#include <docent/watch.hpp>

#include "client/core/blocking.hpp"
#include "client/core/launch.hpp"
#include "client/events/watch_state.hpp"

namespace docent {
namespace detail {

zk::WatchSink WatchState::open() {
    sink_ = zk::make_watch_sink([weak = weak_from_this()](const WatchEvent& event) {
        if (const auto self = weak.lock()) self->mailbox_->push({event.type, self->path_});
    });
    close_listener_ = core_->listen([weak = weak_from_this()](const SessionEvent& event) {
        const auto self = weak.lock();
        if (self && event.state == SessionState::closed) self->mailbox_->close(error::closed);
    });
    return sink_;
}

WatchState::~WatchState() {
    if (!sink_) return;
    sink_.reset();
    try {
        core_->post([core = core_, forget = std::move(forget_)] { forget(*core); });
    } catch (...) {
        // Without memory for this, the watch stays on the server until it fires.
    }
}

asio::any_io_executor executor_of(const WatchState& state) {
    return state.core()->executor();
}

void initiate_watch_wait(const std::shared_ptr<WatchState>& state, CallOptions call, Handler<WatchEvent> handler) {
    if (!state) return complete_empty<WatchEvent>(std::move(handler), error::closed);
    const auto make = [state](const ClientViewPtr&, Done<WatchEvent> done) {
        return std::make_shared<MailboxRead<WatchEvent>>(state->mailbox(), std::move(done));
    };
    launch<WatchEvent>(state->core(), {}, std::move(call), std::move(handler), make);
}

namespace {

void end_wait(const std::shared_ptr<WatchState>& state) noexcept {
    if (state) cancel_read(*state->core(), state->mailbox());
}

} // namespace
} // namespace detail

Watch::Watch(std::shared_ptr<detail::WatchState> state) {
    core_ = std::move(state);
}

Watch& Watch::operator=(Watch&& other) noexcept {
    if (this != &other) detail::end_wait(std::exchange(core_, std::move(other.core_)));
    return *this;
}

Watch::~Watch() {
    detail::end_wait(core_);
}

WatchEvent Watch::wait(error_code& ec, CallOptions call) {
    const auto view = core_ ? core_->core() : nullptr;
    return detail::block_on<WatchEvent>(view, std::move(call), ec, [this](CallOptions options, auto handler) {
        detail::initiate_watch_wait(core_, std::move(options), std::move(handler));
    });
}

WatchEvent Watch::wait(CallOptions call) {
    error_code ec;
    WatchEvent event = wait(ec, std::move(call));
    detail::throw_if(ec, "wait for", "watch");
    return event;
}

} // namespace docent
