// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>

#include <cstdint>
#include <string_view>

namespace docent {

/// What is known of the session with the ensemble.
enum class SessionState {
    connecting, ///< No session yet.
    connected,  ///< A server answers.
    suspended,  ///< The connection broke; the session, and all that is held in it, may survive.
    lost,       ///< The session ended, or may have: whatever was held in it is to be treated as gone.
    closed,     ///< The client was closed: no event follows.
};

DOCENT_EXPORT std::string_view to_string(SessionState state) noexcept;

/// One change of the session's state. Events are never dropped, merged or reordered: `lost` always comes before the
/// `connected` of the session that replaces the lost one.
struct SessionEvent {
    SessionState state = SessionState::connecting;
    /// Grows by one with each new session; 0 before the first. After a loss that was only presumed (no server answered
    /// for more than half of the session timeout) the same session can come back, with the same epoch.
    std::uint64_t epoch = 0;
    std::int64_t session_id = 0; ///< ZooKeeper's id of the session; 0 before the first.
    /// For `lost`: `server_error::session_expired` (the server said so, or handed out another session),
    /// `server_error::auth_failed`, or `error::not_connected` (presumed: nothing was heard for too long).
    error_code reason;

    friend bool operator==(const SessionEvent&, const SessionEvent&) = default;
};

} // namespace docent
