// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace docent::detail {

/// What a driver waits for on behalf of its machine: the end of a pause, and a session, for the client's connection timeout.
class StepTimers {
public:
    void pause(ClientView& view, std::chrono::milliseconds length, std::function<void()> then) {
        pause_ = view.call_after(length, std::move(then));
    }
    void end_pause() { pause_.reset(); }
    /// `give_up` unless there is a session in time, counted from the first of these calls since the last connection.
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
