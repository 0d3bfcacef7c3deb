// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/session_event.hpp>

#include <cstdint>
#include <vector>

namespace docent::session {

/// Turns what the connection does into the states that users see. Pure; each member returns the events that follow, in order.
class SessionMachine {
public:
    using Events = std::vector<SessionEvent>;

    /// A server has taken us, with this session. Another id than before means that the old session is gone, also if no server
    /// said so (ClickHouse ClientView hands out a new one in silence).
    Events on_connected(std::int64_t session_id);
    Events on_disconnected();
    /// The server said that the session is gone, or refused our credentials.
    Events on_ended(error_code reason);
    /// Nothing was heard until the validity bound: the session may be gone.
    Events on_bound_passed();
    /// A server answered, though the bound had passed.
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
