// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/session_event.hpp>

#include <memory>
#include <utility>

namespace docent {

namespace detail {
class SessionEventQueue;
/// Starts AsyncSessionEvents::async_next().
DOCENT_EXPORT void initiate_next_event(const std::shared_ptr<SessionEventQueue>& queue, CallOptions call,
                                       Handler<SessionEvent> handler);
/// Returns the executor of the client that the events belong to.
DOCENT_EXPORT asio::any_io_executor executor_of(const SessionEventQueue& queue);

/// The asynchronous operations of SessionEvents.
template <typename Base, typename Default> class AsyncSessionEvents : public Base {
public:
    using Base::Base;
    /// Makes an empty object.
    AsyncSessionEvents() = default;
    /// Takes the events of `base`, for another default token.
    explicit AsyncSessionEvents(Base&& base) : Base(std::move(base)) {}

    /// Waits for the next event without blocking a thread. One read at a time: a second read cancels the first.
    /// - Completion signature: `void(error_code, SessionEvent)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`; no event is
    ///   dropped. Destroying the SessionEvents cancels the read.
    /// - Errors: as SessionEvents::next(), but never `error::would_deadlock` or `error::executor_idle`.
    template <asio::completion_token_for<void(error_code, SessionEvent)> Token = Default>
    auto async_next(Token&& token = Token{}) {
        return async_next(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, SessionEvent)> Token = Default>
    auto async_next(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<SessionEvent>(&detail::initiate_next_event, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A stream of the session's events, from Client::session_events().
/// ```cpp
/// docent::SessionEvents events = client.session_events();
/// docent::SessionEvent event = events.next(); // the present state first
/// while (event.state != docent::SessionState::closed) {
///     event = events.next();
/// }
/// ```
/// The first event is the state at the time of the call. Every later event follows; the stream drops none, however slow the
/// reader is. An interrupted next() may lose the event that arrives at the same time.
/// - Thread safety: one thread at a time.
/// - Lifetime: the stream may outlive the client. Destroying it ends its read with `operation_aborted`.
/// @ingroup client
class DOCENT_EXPORT SessionEvents
    : public detail::BaseOf<SessionEvents, detail::SessionEventQueue, detail::AsyncSessionEvents> {
public:
    /// Makes a stream from the client's queue. Only the client calls this.
    explicit SessionEvents(std::shared_ptr<detail::SessionEventQueue> queue);
    /// Takes the stream of another object. A read of that object then fails with `error::closed`.
    SessionEvents(SessionEvents&&) noexcept = default;
    /// Ends this stream and takes the stream of another object.
    SessionEvents& operator=(SessionEvents&& other) noexcept;
    /// Ends the stream; a read completes with `operation_aborted`.
    ~SessionEvents();

    /// Waits for the next event and returns it. `boost::thread::interrupt()` interrupts the wait.
    ///
    /// Errors:
    /// - `error::closed`: the event `closed` was read before, or this object was moved from.
    /// - `operation_aborted`: `call.stop` requested a stop.
    /// - `server_error::operation_timeout`: `call.timeout` passed.
    /// - `error::would_deadlock`: the calling thread runs the client.
    /// - `error::executor_idle`: no thread runs the executor that the client was given.
    /// - `error::other_process`: the client belongs to the parent process.
    SessionEvent next(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    SessionEvent next(error_code& ec, CallOptions call = {});
};

/// Keeps a listener registered; destroying it removes the listener.
/// ```cpp
/// auto lost = std::make_shared<std::atomic<bool>>(false);
/// docent::Subscription subscription =
///     client.listen([lost](const docent::SessionEvent& event) {
///         if (event.state == docent::SessionState::lost) *lost = true;
///     });
/// ```
/// - Thread safety: any thread may destroy it.
/// - Lifetime: the destructor destroys the listener. It does not wait for a call that is under way; then the listener is
///   destroyed after the call. Let the listener share the ownership of everything that it uses, for example by a copied
///   `std::shared_ptr`.
/// @ingroup client
class DOCENT_EXPORT Subscription {
public:
    /// Makes an empty object, without a listener.
    Subscription() = default;
    /// Makes a subscription from a registration. Only docent calls this.
    explicit Subscription(std::shared_ptr<void> registration) : registration_(std::move(registration)) {}

private:
    detail::ProcessOwned<void> registration_;
};

} // namespace docent
