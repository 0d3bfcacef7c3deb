// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace docent {

/// When, and after what pause, a failed operation is tried again: Curator's policies and formulas. A value: copy it freely.
///
/// Tried again are only failures that `condition::retryable` names, and the end of the session (see within_session()), never
/// after the client was closed and never past the caller's deadline.
class DOCENT_EXPORT RetryPolicy {
public:
    using milliseconds = std::chrono::milliseconds;

    /// Never again.
    static RetryPolicy none();
    /// `count` retries, `pause` before each (Curator's RetryNTimes).
    static RetryPolicy n_times(int count, milliseconds pause);
    /// One retry after `pause` (RetryOneTime).
    static RetryPolicy one_time(milliseconds pause);
    /// Again and again, every `pause`, which must be positive (RetryForever).
    static RetryPolicy forever(milliseconds pause);
    /// Every `pause` until `max_elapsed` has passed since the first try; the pause itself counts (RetryUntilElapsed, which
    /// can overshoot by one pause).
    static RetryPolicy until_elapsed(milliseconds max_elapsed, milliseconds pause);
    /// At most min(`max_retries`, 29) retries; before retry n (from 0) the pause is
    /// min(`max_pause`, base × max(1, random in [0, 2^(n+1)))) (ExponentialBackoffRetry, BoundedExponentialBackoffRetry).
    static RetryPolicy exponential_backoff(milliseconds base, int max_retries, milliseconds max_pause = milliseconds::max());

    /// The same, but the end of the session is not retried: what the caller did in it is gone (SessionFailedRetryPolicy).
    RetryPolicy within_session() const;
    bool retries_ended_session() const noexcept { return retries_ended_session_; }

    /// The pause before retry number `retry` (counted from 0), or nothing if there is none.
    /// `elapsed` is the time since the first try; `random` any number, uniformly distributed over all values.
    std::optional<milliseconds> pause_before(int retry, milliseconds elapsed, std::uint64_t random) const;

    friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;

private:
    enum class Kind { count, forever, elapsed, exponential };

    RetryPolicy(Kind kind, int count, milliseconds pause, milliseconds max)
        : kind_(kind), count_(count), pause_(pause), max_(max) {}

    Kind kind_;
    int count_;
    milliseconds pause_;
    milliseconds max_;
    bool retries_ended_session_ = true;
};

} // namespace docent
