// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/watch_event.hpp>

#include <memory>
#include <utility>

namespace docent {

namespace detail {
class WatchState;
DOCENT_EXPORT asio::any_io_executor executor_of(const WatchState& state);
DOCENT_EXPORT void initiate_watch_wait(const std::shared_ptr<WatchState>& state, CallOptions call, Handler<WatchEvent> handler);

template <typename Base, typename Default> class AsyncWatch : public Base {
public:
    using Base::Base;
    AsyncWatch() = default;
    explicit AsyncWatch(Base&& base) : Base(std::move(base)) {}

    /// As wait(); one wait at a time.
    /// Completion signature: `void(error_code, WatchEvent)`.
    /// Cancellation: `terminal`, `partial`, `total`; the watch itself stays. Destroying the watch cancels the wait.
    template <asio::completion_token_for<void(error_code, WatchEvent)> Token = Default>
    auto async_wait(Token&& token = Token{}) {
        return async_wait(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, WatchEvent)> Token = Default>
    auto async_wait(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<WatchEvent>(&detail::initiate_watch_wait, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A one-shot watch that a `*_watched` read has set. Move it where the event is needed; dropping it unsubscribes.
///
/// It fires exactly once: with the first change after the read, also when that change happened during a disconnection, or
/// with `session_lost`. An event that came before anybody waited is kept.
///
/// Thread safety: distinct watches may be used from different threads; one watch from one at a time.
class DOCENT_EXPORT Watch : public detail::AsyncWatch<detail::Holder<detail::WatchState>, asio::deferred_t> {
public:
    Watch() = default;
    explicit Watch(std::shared_ptr<detail::WatchState> state);
    Watch(Watch&&) noexcept = default;
    Watch& operator=(Watch&& other) noexcept;
    ~Watch();

    /// Whether this is a watch; false after it was moved from.
    explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Waits for the event. Interruptible by `boost::thread::interrupt()`.
    /// Errors: `error::closed` (also of no watch), `operation_aborted` (stopped), `server_error::operation_timeout`
    /// (`call.timeout` passed; the watch stays), `error::would_deadlock` on the client's own thread.
    WatchEvent wait(CallOptions call = {});
    WatchEvent wait(error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncWatch<Watch, detail::DefaultToken<Executor>>, Executor>;
    };
};

/// What was read, and the watch that the same request has set.
template <typename T> struct Watched {
    T value;
    Watch watch;
};

} // namespace docent
