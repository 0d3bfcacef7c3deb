// SPDX-License-Identifier: Apache-2.0

#include "session/session_machine.hpp"

#include <utility>

namespace docent::session {

SessionMachine::Events SessionMachine::enter(SessionState state, error_code reason) {
    if (last_.state == SessionState::closed) return {};
    last_.state = state;
    last_.reason = reason;
    return {last_};
}

SessionMachine::Events SessionMachine::on_connected(std::int64_t session_id) {
    Events events;
    if (session_id_ != 0 && session_id_ != session_id) events = on_ended(server_error::session_expired);
    if (session_id_ == 0) ++last_.epoch;
    session_id_ = last_.session_id = session_id;
    reachable_ = true;
    for (SessionEvent& event : enter(SessionState::connected)) events.push_back(event);
    return events;
}

SessionMachine::Events SessionMachine::on_disconnected() {
    const bool was_reachable = std::exchange(reachable_, false);
    if (!was_reachable || session_id_ == 0 || last_.state == SessionState::lost) return {};
    return enter(SessionState::suspended);
}

SessionMachine::Events SessionMachine::on_ended(error_code reason) {
    reachable_ = false;
    const bool had_session = std::exchange(session_id_, 0) != 0;
    // Without a session, no event is needed, except for faults that end the waits for a connection.
    if (!had_session && reason == server_error::session_expired) return {};
    return enter(SessionState::lost, reason);
}

SessionMachine::Events SessionMachine::on_bound_passed() {
    if (session_id_ == 0 || last_.state == SessionState::lost) return {};
    return enter(SessionState::lost, error::not_connected);
}

SessionMachine::Events SessionMachine::on_answer() {
    if (session_id_ == 0 || !reachable_ || last_.state != SessionState::lost) return {};
    return enter(SessionState::connected);
}

SessionMachine::Events SessionMachine::on_closed() {
    session_id_ = 0;
    reachable_ = false;
    return enter(SessionState::closed);
}

} // namespace docent::session
