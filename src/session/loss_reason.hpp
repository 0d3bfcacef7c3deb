// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/session_event.hpp>

#include <cstdint>

namespace docent::session {

/// Why the session of this epoch, with its leases, was lost, by the client's last session event. Session events, lease traces,
/// metrics and messages all take the reason from here.
///
/// - `error::closed`: the client was closed.
/// - `session_expired`, `auth_failed`: the server said so.
/// - `error::not_connected`: the loss is presumed. No answer came before the validity bound, or an ErrorPolicy ends leases when
///   the connection breaks.
inline error_code loss_reason(const SessionEvent& last, std::uint64_t epoch) {
    if (last.state == SessionState::closed) return error::closed;
    if (last.epoch != epoch) return server_error::session_expired; // another session has taken its place
    if (last.state == SessionState::lost) return last.reason;
    return error::not_connected;
}

} // namespace docent::session
