// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/retry_policy.hpp>

#include <chrono>
#include <optional>
#include <stop_token>

namespace docent {

/// What bounds one call. Blocking calls are also ended by `boost::thread::interrupt()`, asynchronous ones by their
/// cancellation slot.
struct CallOptions {
    /// Time for the whole call: waiting for a connection, retries and their pauses included; however large, and a hundred years
    /// at most. Without it, the retry policy and `ClientConfig::connection_timeout` bound the call.
    std::optional<std::chrono::milliseconds> timeout = {};

    /// Ends the call with `operation_aborted` when a stop is requested. (GCC 12: not by braces in a co_await;
    /// docs/tutorials/service.md.)
    std::stop_token stop = {};

    /// Instead of `ClientConfig::retry_policy`.
    std::optional<RetryPolicy> retry_policy = {};
};

} // namespace docent
