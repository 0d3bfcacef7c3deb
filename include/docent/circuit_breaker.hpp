// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>

namespace docent {

/// Short name for Boost.Asio.
namespace asio = boost::asio;

/// Wraps a session listener so that it hears little of a connection that breaks again and again. Curator calls this a
/// circuit-breaking listener. Pass the result to Client::listen:
/// ```cpp
/// bool healthy = true;
/// auto subscription = client.listen(docent::circuit_breaking(
///     client.get_executor(), docent::RetryPolicy::forever(5s),
///     [&](const docent::SessionEvent& event) {
///         healthy = event.state == docent::SessionState::connected;
///     }));
/// ```
/// **Rule.** The circuit is closed at first: the listener gets every event. The first `suspended` or `lost` event opens the
/// circuit; the listener gets that event too. While the circuit is open, the breaker withholds events. After each pause of
/// `policy` the breaker looks at the last event. The circuit closes if the client is connected, or if the policy has no further
/// pause. The breaker then delivers the last event, unless the listener has already got the same event. The policy counts
/// pauses and time from the opening.
///
/// **Exceptions.** The breaker never withholds `closed`, nor the first `lost` of each session.
///
/// **Difference from Curator.** Curator delivers only the first LOST while a circuit is open. In docent, operations continue
/// while a circuit is open and may create ephemeral nodes or take locks in a session that the listener has not heard of.
/// The listener must hear of the loss of that session. So one `lost` can directly follow the `lost` of an earlier session.
/// Before it hears of a new session, the listener always hears of the loss of the old session.
///
/// - Thread safety: any thread may call the result, and the call never blocks. Give it the events of one client only.
///   The breaker calls `listener` on a strand of `executor`, one call at a time, never inside a call of the result. `listener`
///   may block only if the executor has another thread.
/// - Errors: an exception of `listener` leaves through the executor's `run()`. The breaker goes on as if the call had returned.
/// - Lifetime: copies of the result share one breaker. When the last copy is destroyed, the breaker cancels its timer and makes
///   no further call; it does not wait for a running call. Any thread may destroy the copies, `listener` too. An open circuit
///   is work for the executor until the circuit closes, the client is closed, or the last copy is destroyed. The
///   executor's context must outlive the result, the Subscription, and a call that is under way when the Subscription is
///   destroyed. Give Client::listen() the same executor, so that its context ends such a call, or let the context outlive the
///   client.
/// @ingroup client
DOCENT_EXPORT std::function<void(const SessionEvent&)> circuit_breaking(asio::any_io_executor executor, RetryPolicy policy,
                                                                        std::function<void(const SessionEvent&)> listener);

} // namespace docent
