// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one rule for the error of a call whose time is over.

#include <docent/error.hpp>

#include <cstdint>

namespace docent::detail {

/// What a call is waiting for when its time is over.
enum class Awaited : std::uint8_t {
    answer,  // of a server; nothing that was sent may have changed anything
    effect,  // the answer to a request that may have been applied
    turn,    // a lock, permits or leadership; the client removes what it made for that
    success, // one more try, after tries that changed nothing for certain
    news,    // of this client itself (a watch event, a session event, a loss); no server is asked
};

/// The rule. `connected`: the client has a connection at this moment. It is told to users at `docent::error` and in
/// docs/client/errors.md, "When the time of a call is over".
inline error_code time_is_over(Awaited awaited, bool connected) {
    if (awaited == Awaited::effect || awaited == Awaited::news) return server_error::operation_timeout;
    if (!connected) return error::not_connected;
    if (awaited == Awaited::turn) return error::not_acquired;
    return awaited == Awaited::success ? make_error_code(error::not_applied) : server_error::operation_timeout;
}

/// Whether an error says that the time of a call for a lock is over, and nothing else.
inline bool is_time_over_for_turn(const error_code& ec) {
    return ec == error::not_acquired || ec == error::not_connected;
}

} // namespace docent::detail
