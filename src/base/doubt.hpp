// SPDX-License-Identifier: Apache-2.0
#pragma once

// What errors say of a request that may be sent again.

#include <docent/error.hpp>

namespace docent::detail {

/// The server has not answered the request itself: it was not sent, not taken, or the answer was lost.
inline bool is_lost(const error_code& ec) {
    return ec == condition::outcome_unknown || ec == condition::retryable;
}

/// What a call fails with that may have been applied by an attempt before, or a step before, when it cannot go on.
inline error_code with_doubt(error_code ec, bool in_doubt) {
    return in_doubt && ec == error::not_connected ? make_error_code(server_error::connection_loss) : ec;
}

} // namespace docent::detail
