// SPDX-License-Identifier: Apache-2.0
#pragma once

// Errors that decide whether a request may be sent again.

#include "base/time_over.hpp"

#include <docent/error.hpp>

namespace docent::detail {

/// Whether the request has no answer of its own: it was not sent, the server refused to process it, or the answer was lost.
inline bool is_lost(const error_code& ec) {
    return ec == condition::outcome_unknown || ec == condition::retryable;
}

/// The error of a call that cannot continue, because there is no connection or the node may not be read. `in_doubt`: an earlier
/// attempt or step may have been applied.
inline error_code with_doubt(error_code ec, bool in_doubt) {
    if (in_doubt && ec == server_error::no_auth) return make_error_code(server_error::connection_loss);
    return in_doubt && ec == error::not_connected ? time_is_over(Awaited::effect, false) : ec;
}

} // namespace docent::detail
