// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/session_event.hpp>

#include <cstdint>
#include <vector>

namespace docent::session {

/// Why the session of `epoch` was lost, with its leases. `last`: the last session event of the client. Session events, lease
/// traces, metrics and messages all take the reason from here.
///
/// - `error::closed`: the client was closed.
/// - `session_expired`, `auth_failed`: a server said so, or gave the client another session.
/// - `error::not_connected`: the loss is presumed. No answer came before the validity bound, or an ErrorPolicy ends leases when
///   the connection breaks.
inline error_code loss_reason(const SessionEvent& last, std::uint64_t epoch) {
    if (last.state == SessionState::closed) return error::closed;
    if (last.epoch != epoch) return server_error::session_expired; // another session has taken its place
    if (last.state == SessionState::lost) return last.reason;
    return error::not_connected;
}

/// Turns events of the connection into the session states that users see. Pure. Each function `on_…` returns the resulting
/// events, in order.
class SessionMachine {
public:
    using Events = std::vector<SessionEvent>;

    /// A server has accepted the client, with this session. If the id differs from the last one, the old session has ended.
    /// ClickHouse Keeper, for example, begins a new session without saying that the old one has expired.
    Events on_connected(std::int64_t session_id);
    Events on_disconnected();
    /// The server said that the session has ended, or refused the client's credentials; or TLS fails with all servers.
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
    std::int64_t session_id_ = 0; // 0 before the first session and after a session's end
    bool reachable_ = false;
};

} // namespace docent::session
