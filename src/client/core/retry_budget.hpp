// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/client_view.hpp"

#include <chrono>
#include <optional>

namespace docent::detail {

/// The retries that a call has left. All steps of a call share one budget, because nested retries would multiply (CURATOR-559).
class RetryBudget {
public:
    RetryBudget(const RetryPolicy& policy, steady_clock::time_point started) : policy_(policy), started_(started) {}

    /// Whether a try in the session of this epoch would leave the first try's session, and the policy forbids that.
    bool leaves_session(std::uint64_t epoch) {
        if (!epoch_) epoch_ = epoch;
        return !policy_.retries_ended_session() && *epoch_ != epoch;
    }

    /// The pause before another try after `ec`; nothing if there must be none.
    std::optional<std::chrono::milliseconds> next(error_code ec, steady_clock::time_point now, std::uint64_t random) {
        if (ec == server_error::session_expired && !policy_.retries_ended_session()) return std::nullopt;
        const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
        return policy_.pause_before(used_++, elapsed, random);
    }

private:
    RetryPolicy policy_;
    steady_clock::time_point started_;
    int used_ = 0;
    std::optional<std::uint64_t> epoch_; // of the first try's session
};

} // namespace docent::detail
