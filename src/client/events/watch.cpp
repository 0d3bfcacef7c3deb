// SPDX-License-Identifier: Apache-2.0

#include "client/events/watch.hpp"

#include "base/while_alive.hpp"

#include <docent/watch.hpp>

namespace docent {

namespace detail {

zk::WatchSink WatchState::open() {
    sink_ = zk::make_watch_sink(while_alive(weak_from_this(), [this](const WatchEvent& event) {
        mailbox().push_last({event.type, path_});
    }));
    close_listener_ = view()->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) {
        if (event.state == SessionState::closed) mailbox().close(error::closed);
    }));
    return sink_;
}

WatchState::~WatchState() {
    if (!sink_) return;
    sink_.reset();
    try {
        view()->post([view = view(), forget = std::move(forget_)] { forget(*view); });
    } catch (...) {
        // Without memory, the watch stays on the server until it fires.
    }
}

asio::any_io_executor executor_of(const WatchState& state) {
    return state.view()->executor();
}

void initiate_watch_wait(const std::shared_ptr<WatchState>& state, CallOptions call, Handler<WatchEvent> handler) {
    initiate_read<WatchEvent>(state.get(), std::move(call), std::move(handler));
}

} // namespace detail

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
    return detail::block_on_read<WatchEvent>(core_.get(), std::move(call), "wait for", "watch");
}

} // namespace docent
