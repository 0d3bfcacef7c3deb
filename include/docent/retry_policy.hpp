// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace docent {

/// Decides whether a failed operation is tried again, and after which pause: Curator's policies and formulas.
/// ```cpp
/// auto policy = docent::RetryPolicy::exponential_backoff(100ms, 10, 3s);
/// docent::error_code ec;
/// client.set("/state", "ready", {}, ec, {.retry_policy = policy});
/// auto until_session_ends = policy.within_session();
/// ```
/// The client retries only errors that equal `condition::retryable`, and the end of the session (see within_session()). It
/// never retries after close(), nor after the deadline of the call. Waiting for a connection does not count as a try. A policy
/// is a value: copy it freely.
/// @ingroup client
class DOCENT_EXPORT RetryPolicy {
public:
    /// The unit of all pauses.
    using milliseconds = std::chrono::milliseconds;

    /// Returns a policy without retries.
    static RetryPolicy none();
    /// Returns a policy with `count` retries, each after `pause` (Curator's `RetryNTimes`).
    static RetryPolicy n_times(int count, milliseconds pause);
    /// Returns a policy with one retry, after `pause` (Curator's `RetryOneTime`).
    static RetryPolicy one_time(milliseconds pause);
    /// Returns a policy that retries without limit, each time after `pause`, at least 1 ms (Curator's `RetryForever`).
    static RetryPolicy forever(milliseconds pause);
    /// Returns a policy that retries after `pause` each time, as long as the pause ends before `max_elapsed` has passed since
    /// the first try.
    ///
    /// Curator's `RetryUntilElapsed` can exceed the limit by one pause.
    static RetryPolicy until_elapsed(milliseconds max_elapsed, milliseconds pause);
    /// Returns a policy with pauses that grow, up to `max_pause`, and at most min(`max_retries`, 29) retries.
    ///
    /// The pause before retry n, counted from 0, is min(`max_pause`, `base` × max(1, r)) with a random integer r from
    /// 0 to 2^(n+1) − 1. The formula is from Curator's `ExponentialBackoffRetry` and `BoundedExponentialBackoffRetry`.
    static RetryPolicy exponential_backoff(milliseconds base, int max_retries, milliseconds max_pause = milliseconds::max());

    /// Returns this policy, except that it does not retry in a new session (Curator's `SessionFailedRetryPolicy`).
    ///
    /// If the session ends after the first request of a call, the call fails with an error that equals
    /// `condition::session_ended`. Use it for work that relies on locks or ephemeral nodes of the session.
    RetryPolicy within_session() const;
    /// Returns whether the policy retries in a new session: true unless within_session() made it.
    bool retries_ended_session() const noexcept { return retries_ended_session_; }

    /// Returns the pause before retry number `retry`, counted from 0; nothing if there is no such retry.
    ///
    /// `elapsed` is the time since the first try. `random` is a number with a uniform distribution over all values.
    std::optional<milliseconds> pause_before(int retry, milliseconds elapsed, std::uint64_t random) const;

    /// Compares all fields.
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
