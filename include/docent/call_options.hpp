// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/retry_policy.hpp>

#include <chrono>
#include <optional>
#include <stop_token>

namespace docent {

/// Limits for one call: its time, a stop token, a retry policy.
/// ```cpp
/// std::stop_source stop;
/// docent::CallOptions call{.timeout = 2s, .stop = stop.get_token()};
/// client.get("/config", {}, call);
/// client.exists("/config", {.retry_policy = docent::RetryPolicy::none()});
/// ```
/// `boost::thread::interrupt()` also ends a blocking call. The handler's cancellation slot also ends an asynchronous call.
/// @ingroup client
struct CallOptions {
    /// Time for the whole call, including waits for a connection, retries and pauses.
    ///
    /// Values above 100 years count as 100 years. Without a timeout, the retry policy and `ClientConfig::connection_timeout`
    /// bound the call. docent::error says which error the call gets when its time is over.
    std::optional<std::chrono::milliseconds> timeout = {};

    /// Ends the call with `operation_aborted` when a stop is requested.
    ///
    /// GCC 12 destroys braced options twice in a `co_await` expression. There, give options with a stop token a variable
    /// (docs/tutorials/service.md).
    std::stop_token stop = {};

    /// Retry policy for this call, in place of `ClientConfig::retry_policy`.
    std::optional<RetryPolicy> retry_policy = {};
};

} // namespace docent
