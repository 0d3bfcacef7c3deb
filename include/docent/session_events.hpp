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
DOCENT_EXPORT void initiate_next_event(const std::shared_ptr<SessionEventQueue>& queue, CallOptions call,
                                       Handler<SessionEvent> handler);
DOCENT_EXPORT asio::any_io_executor executor_of(const SessionEventQueue& queue);

template <typename Base, typename Default> class AsyncSessionEvents : public Base {
public:
    using Base::Base;
    AsyncSessionEvents() = default;
    explicit AsyncSessionEvents(Base&& base) : Base(std::move(base)) {}

    /// As next(); one read at a time.
    /// Completion signature: `void(error_code, SessionEvent)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code, SessionEvent)> Token = Default>
    auto async_next(Token&& token = Token{}) {
        return async_next(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, SessionEvent)> Token = Default>
    auto async_next(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<SessionEvent>(&detail::initiate_next_event, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// The session's events as a stream. One that was moved from fails with `error::closed`. Its first event is the state at the
/// time when it was made; every later one follows, none is dropped, however slow the reader.
class DOCENT_EXPORT SessionEvents
    : public detail::AsyncSessionEvents<detail::Holder<detail::SessionEventQueue>, asio::deferred_t> {
public:
    explicit SessionEvents(std::shared_ptr<detail::SessionEventQueue> queue);
    SessionEvents(SessionEvents&&) noexcept = default;
    SessionEvents& operator=(SessionEvents&& other) noexcept;
    ~SessionEvents();

    /// The next event. After the event `closed`, fails with `error::closed`.
    /// Errors: `error::closed`, `operation_aborted` (stopped), `server_error::operation_timeout` (`call.timeout` passed).
    SessionEvent next(CallOptions call = {});
    SessionEvent next(error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncSessionEvents<SessionEvents, detail::DefaultToken<Executor>>, Executor>;
    };
};

/// Keeps a listener registered; dropping it removes the listener. A call that is under way is not waited for: what the listener
/// uses must outlive that call, so give the listener a share in it (a copied std::shared_ptr).
class DOCENT_EXPORT Subscription {
public:
    Subscription() = default;
    explicit Subscription(std::shared_ptr<void> registration) : registration_(std::move(registration)) {}

private:
    detail::ProcessOwned<void> registration_;
};

} // namespace docent
