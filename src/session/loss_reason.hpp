// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/session_event.hpp>

#include <cstdint>

namespace docent::session {

/// Why the session of this epoch is lost, with all that was held in it, as far as the client's last session event tells. The
/// one place that decides it: session events, lease traces, metrics and messages say the same.
///
/// `error::closed` if the client was closed; what the server said, if it said so (`session_expired`, `auth_failed`);
/// `error::not_connected` if the loss is only presumed: no answer came before the validity bound, or an ErrorPolicy ends leases
/// when the connection breaks.
inline error_code loss_reason(const SessionEvent& last, std::uint64_t epoch) {
    if (last.state == SessionState::closed) return error::closed;
    if (last.epoch != epoch) return server_error::session_expired; // another session has taken its place
    if (last.state == SessionState::lost) return last.reason;
    return error::not_connected;
}

} // namespace docent::session
