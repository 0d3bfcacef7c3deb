// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// The timers of a driver: the end of a pause, and the client's connection timeout without a session.
class StepTimers {
public:
    void pause(ClientView& view, std::chrono::milliseconds length, std::function<void()> then) {
        pause_ = view.call_after(length, std::move(then));
    }
    void end_pause() { pause_.reset(); }
    /// Calls `give_up` if there is no session in time. The time begins with the first such call since the last connection.
    void await_session(ClientView& view, std::function<void()> give_up) {
        if (!session_) session_ = view.call_after(view.connection_timeout(), std::move(give_up));
    }
    void on_session(const SessionEvent& event) {
        if (event.state == SessionState::connected) session_.reset();
    }
    void reset() {
        session_.reset();
        pause_.reset();
    }

private:
    Registration session_;
    Registration pause_;
};

} // namespace docent::detail
