// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/detail/deadline.hpp>
#include <docent/retry_policy.hpp>

#include <chrono>
#include <concepts>
#include <optional>
#include <stop_token>
#include <utility>

namespace docent {

namespace detail {
/// Whether `T` is a `std::chrono::duration`.
template <typename T> inline constexpr bool is_duration = false;
/// True for each duration.
template <typename Rep, typename Period> inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

/// One limit of a call: its time, or a stop token.
template <typename T>
concept CallLimit = is_duration<T> || std::same_as<T, std::stop_token>;
} // namespace detail

/// Limits for one call: its time, a stop token, a retry policy.
/// ```cpp
/// std::stop_source stop;
/// docent::CallOptions call{.timeout = 2s, .stop = stop.get_token()};
/// client.get("/config", {}, call);
/// client.exists("/config", {.retry_policy = docent::RetryPolicy::none()});
/// ```
/// `boost::thread::interrupt()` also ends a blocking call. The handler's cancellation slot also ends an asynchronous call.
///
/// GCC 12 destroys braced options twice in a `co_await` expression. There, use within() or stopped_by(), or give the options a
/// variable:
/// ```cpp
/// std::stop_source stop;
/// docent::NodeData config =
///     co_await client.async_get("/config", {}, docent::CallOptions::within(2s, stop.get_token()), asio::use_awaitable);
/// ```
/// @ingroup client
struct CallOptions {
    /// Time for the whole call, including waits for a connection, retries and pauses.
    ///
    /// Values above 100 years count as 100 years. Without a timeout, the retry policy and `ClientConfig::connection_timeout`
    /// bound the call. docent::error says which error the call gets when its time is over.
    std::optional<std::chrono::milliseconds> timeout = {};

    /// Ends the call with `operation_aborted` when a stop is requested.
    std::stop_token stop = {};

    /// Retry policy for this call, in place of `ClientConfig::retry_policy`.
    std::optional<RetryPolicy> retry_policy = {};

    /// Returns options with this time, and with a stop token. A time between two milliseconds counts as the longer one.
    template <typename Rep, typename Period>
    static CallOptions within(const std::chrono::duration<Rep, Period>& timeout, std::stop_token stop = {}) {
        return {.timeout = detail::whole_milliseconds(timeout), .stop = std::move(stop)};
    }
    /// Returns options with a stop token and without a time.
    static CallOptions stopped_by(std::stop_token stop) { return {.stop = std::move(stop)}; }
};

namespace detail {
/// Makes options with one limit.
template <CallLimit Limit> CallOptions limited_by(const Limit& limit) {
    if constexpr (is_duration<Limit>) return CallOptions::within(limit);
    else return CallOptions::stopped_by(limit);
}
} // namespace detail

} // namespace docent
