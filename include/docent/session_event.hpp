// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/error.hpp>
#include <docent/export.hpp>

#include <cstdint>
#include <string_view>

namespace docent {

/// The state of the client's session, as far as the client knows it.
/// @ingroup client
enum class SessionState {
    connecting, ///< The client has no session yet.
    connected,  ///< A server answers.
    suspended,  ///< The connection broke. The session, its locks and its ephemeral nodes may survive.
    lost,       ///< The session has ended or may have ended. Treat its locks and ephemeral nodes as gone.
    closed,     ///< The client was closed; no event follows.
};

/// Returns the name of the state, for example `suspended`.
/// @ingroup client
DOCENT_EXPORT std::string_view to_string(SessionState state) noexcept;

/// One change of the session's state.
/// ```cpp
/// docent::SessionEvent now = client.session();
/// bool can_write = now.state == docent::SessionState::connected;
/// ```
/// The client never drops, merges or reorders events. `lost` always precedes the `connected` of the next session.
/// @ingroup client
struct SessionEvent {
    SessionState state = SessionState::connecting; ///< The new state.
    /// The number of the session: 0 before the first session, then one more for each new session.
    ///
    /// After a presumed loss the same session can return, with the same epoch (see `reason`).
    std::uint64_t epoch = 0;
    std::int64_t session_id = 0; ///< ZooKeeper's id of the session; 0 before the first session.
    /// The reason for `lost`.
    /// - `server_error::session_expired`: a server said so, or gave the client another session.
    /// - `server_error::auth_failed`: a server refused the credentials.
    /// - `error::tls_failed`: before the first session, TLS has failed with every server, and waiting does not help. The client
    ///   pauses for about a second (up to 5 s with relaxed heartbeats), and then tries all servers again. An event follows each
    ///   time that TLS has failed with all of them.
    /// - `error::not_connected`: the client presumes the loss, because no server has answered for about half of the session
    ///   timeout T: 7/12 T with leases, 11/24 T without, and 19/48 T with `Heartbeats::relaxed`. The time counts from the
    ///   sending of the last heartbeat that was answered.
    error_code reason;

    /// Compares all fields.
    friend bool operator==(const SessionEvent&, const SessionEvent&) = default;
};

} // namespace docent
