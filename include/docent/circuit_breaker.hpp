// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/retry_policy.hpp>
#include <docent/session_event.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <functional>

namespace docent {

namespace asio = boost::asio;

/// Spares `listener` the noise of a connection that comes and goes, as Curator's circuit-breaking listener does. Hand the
/// result to Client::listen:
/// ```cpp
/// auto subscription = client.listen(docent::circuit_breaking(executor, docent::RetryPolicy::forever(5s), on_change));
/// ```
/// All events are passed on until the first `suspended` or `lost`. That one is passed on too, and opens the circuit. While it
/// is open, events are kept back, and after every pause of `policy` the state is looked at: if the client is connected then, or
/// if the policy gives no further pause, the circuit closes and the last event is passed on, unless it is the one that was
/// passed on last. The pauses are counted, and the policy's time runs, from the opening.
///
/// Never kept back are the first `lost` of each session, and `closed`, which ends it all. What is passed on are some of the
/// events in their order; so whoever hears of a new session has heard before that the former one was lost.
/// Curator passes on only the first LOST while a circuit is open. Operations go on meanwhile, though, and may make ephemeral
/// nodes or take locks in a session that the listener never hears of; its loss must not go unheard. A `lost` can therefore
/// follow a `lost` of the session before.
///
/// Threads: `listener` is called on a strand of `executor`, which may have any number of threads; one call at a time, never
/// inside a call of the result. It may block only if the executor has a thread to spare. The result may be called from any
/// thread, and never blocks; give it the events of one client only.
/// Errors: what `listener` throws leaves through the executor's `run()`; the circuit goes on as if it had returned.
/// Lifetime: copies of the result are one circuit breaker. When the last is destroyed, which may be done at any time and in any
/// thread, also by `listener`, the timer is cancelled and nothing more is passed on; a call that is under way is not waited
/// for. Until then an open circuit is work of the executor, up to `closed`. The executor's context must outlive the result, and
/// with it the Subscription.
DOCENT_EXPORT std::function<void(const SessionEvent&)> circuit_breaking(asio::any_io_executor executor, RetryPolicy policy,
                                                                        std::function<void(const SessionEvent&)> listener);

} // namespace docent
