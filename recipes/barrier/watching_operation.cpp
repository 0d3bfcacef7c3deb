// SPDX-License-Identifier: Apache-2.0
#include "barrier/watching_operation.hpp"

#include "base/while_alive.hpp"

#include <utility>

namespace docent::detail {

void WatchingOperation::start() {
    watch_ = zk::make_watch_sink([self = shared_from_this(), this](const WatchEvent& event) {
        if (!is_open() || event.type == WatchEventType::session_lost) return; // the next session looks again
        if (says_all(event)) return end({});
        changed_ = true;
        look_soon();
    });
    listener_ = view_->listen(while_alive(weak_from_this(), [this](const SessionEvent& event) {
        if (event.state == SessionState::closed) return end(error::closed);
        if (event.state == SessionState::connected) look_soon();
    }));
    look_soon();
}

void WatchingOperation::look_soon() {
    if (std::exchange(looking_, true)) return;
    changed_ = false;
    if (!budget_) budget_.emplace(view_->retry_policy(), view_->now());
    when_connected([this] { look(); });
}

void WatchingOperation::rest() {
    looking_ = false;
    budget_.reset();
    if (changed_) look_soon();
}

bool WatchingOperation::looks_again_after(const error_code& ec) {
    if (ec == error::not_connected) {
        when_connected([this] { look(); });
        return true;
    }
    if (!is_lost(ec)) return false;
    const auto pause = budget_->next(ec, view_->now(), view_->random());
    pause ? after_pause(*pause, [this] { look(); }) : end(ec);
    return true;
}

void WatchingOperation::end(error_code ec) {
    const auto self = shared_from_this();
    if (!is_open()) return;
    listener_.reset();
    if (std::exchange(watch_, nullptr)) on_end(ec);
    finish(ec);
}

} // namespace docent::detail
