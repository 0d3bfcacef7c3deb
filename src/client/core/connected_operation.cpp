// SPDX-License-Identifier: Apache-2.0
#include "client/core/connected_operation.hpp"

#include <utility>

namespace docent::detail {

void ConnectionWait::until_connected(Then then, Limit limit) {
    cancel();
    const SessionState state = view_.session().state;
    if (state == SessionState::connected) return then({});
    if (state == SessionState::closed) return then(error::closed);
    if (limit == Limit::connection_timeout) {
        timer_ = view_.call_after(view_.connection_timeout(), [this, then] {
            cancel();
            then(error::not_connected);
        });
    }
    listen(std::move(then), For::connection);
}

void ConnectionWait::pause(std::chrono::milliseconds length, Then then) {
    cancel();
    if (view_.session().state == SessionState::closed) return then(error::closed);
    timer_ = view_.call_after(length, [this, then] {
        cancel();
        then({});
    });
    listen(std::move(then), For::pause);
}

void ConnectionWait::cancel() {
    listener_.reset();
    timer_.reset();
}

void ConnectionWait::listen(Then then, For what) {
    what_ = what;
    listener_ = view_.listen([this, then = std::move(then)](const SessionEvent& event) {
        error_code ec;
        if (event.state == SessionState::closed) {
            ec = error::closed;
        } else if (ends_waits(event.reason)) {
            ec = event.reason;
        } else if (what_ == For::pause || event.state != SessionState::connected) {
            return;
        }
        const Then resume = then; // cancel() destroys this function
        cancel();
        resume(ec);
    });
}

} // namespace docent::detail
