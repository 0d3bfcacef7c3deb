// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules for the error of a call when its time is over, or when it may have been applied.

#include <docent/error.hpp>

#include <cstdint>

namespace docent::detail {

/// What a call waits for when its time is over.
enum class Awaited : std::uint8_t {
    answer,  // a server's answer; no request of the call can have changed anything
    effect,  // the answer to a request that may have been applied
    turn,    // a lock, permits or leadership; the client removes the nodes that it made for this
    success, // the next try, after tries that have certainly changed nothing
    news,    // an event of the client itself: a watch event, a session event, a loss
};

/// The error of a call whose time is over. `connected`: the client has a connection at this moment. Users find this rule at
/// `docent::error` and in docs/client/errors.md, "When the time of a call is over".
inline error_code time_is_over(Awaited awaited, bool connected) {
    if (awaited == Awaited::effect || awaited == Awaited::news) return server_error::operation_timeout;
    if (!connected) return error::not_connected;
    if (awaited == Awaited::turn) return error::not_acquired;
    return awaited == Awaited::success ? make_error_code(error::not_applied) : server_error::operation_timeout;
}

/// Whether the reason of a session's end makes each wait for a connection useless: the next attempt would fail as well.
inline bool ends_waits(const error_code& reason) {
    return reason == server_error::auth_failed || reason == error::tls_failed;
}

/// Whether the error only means that the time of a call for a lock is over.
inline bool is_time_over_for_turn(const error_code& ec) {
    return ec == error::not_acquired || ec == error::not_connected;
}

// Errors that decide whether a request may be sent again.

/// Whether the request has no answer of its own: it was not sent, the server refused to process it, or the answer was lost.
inline bool is_lost(const error_code& ec) {
    return ec == condition::outcome_unknown || ec == condition::retryable;
}

/// Whether this answer to a removal means that the node does not exist any more.
inline bool is_gone(const error_code& ec) {
    return !ec || ec == server_error::no_node;
}

/// The error of a call that fails. `in_doubt`: an earlier attempt or step of the call may have been applied. Then a refusal of
/// the last attempt, or a missing connection, would wrongly mean that nothing was applied: returns an error with an unknown
/// outcome.
inline error_code with_doubt(error_code ec, bool in_doubt) {
    if (!in_doubt || ec == condition::outcome_unknown) return ec;
    if (ec == error::not_connected) return time_is_over(Awaited::effect, false);
    const bool is_refusal = ec == server_error::no_auth || ec == condition::retryable;
    return is_refusal ? make_error_code(server_error::connection_loss) : ec;
}

} // namespace docent::detail
