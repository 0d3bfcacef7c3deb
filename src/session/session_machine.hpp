// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/session_event.hpp>

#include <cstdint>
#include <vector>

namespace docent::session {

/// Turns events of the connection into the session states that users see. Pure. Each member returns the resulting events, in
/// order.
class SessionMachine {
public:
    using Events = std::vector<SessionEvent>;

    /// A server has accepted the client, with this session. Another id than before means that the old session has ended.
    /// ClickHouse Keeper, for example, begins a new session without saying that the old one has expired.
    Events on_connected(std::int64_t session_id);
    Events on_disconnected();
    /// The server said that the session has ended, or refused the client's credentials.
    Events on_ended(error_code reason);
    /// No answer came before the validity bound: the session may have ended.
    Events on_bound_passed();
    /// A server answered after the bound had passed.
    Events on_answer();
    Events on_closed();

    const SessionEvent& last() const { return last_; }
    bool has_session() const { return session_id_ != 0; }

private:
    Events enter(SessionState state, error_code reason = {});

    SessionEvent last_;
    std::int64_t session_id_ = 0; // 0 also after its end
    bool reachable_ = false;
};

} // namespace docent::session
