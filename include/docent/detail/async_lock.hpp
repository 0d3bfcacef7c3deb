// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/blocking_lock.hpp>
#include <docent/detail/deadline.hpp>
#include <docent/detail/rebind.hpp>

#include <chrono>
#include <utility>

namespace docent::detail {

// `Held` is Lease, MultiLease for an InterProcessMultiLock, or a vector of leases for several permits. `Count` is the type of
// the number of permits, which is then the first argument; otherwise it is empty.
/// The asynchronous operations of locks. After an error, MultiLease::failures() says which locks of an InterProcessMultiLock
/// failed.
///
/// Lifetime: the lock object may be destroyed before an operation completes.
template <typename Base, typename Held, typename Default, typename... Count> class AsyncLock : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Waits for the lock without blocking a thread; the result holds the lock.
    /// - Completion signature: `void(error_code, Held)`.
    /// - Cancellation: `terminal`, `partial`, `total`. The operation completes at once with `operation_aborted`. The client
    ///   removes the waiter's node in the background, also after a reconnect; a lock that was granted meanwhile is released.
    /// - Errors: as the blocking acquire() of this class, but never `error::would_deadlock` or
    ///   `error::executor_idle`. The client resolves lost replies.
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_acquire(Count... count, Token&& token = Token{}) {
        return acquire_as(count..., {}, {}, token);
    }
    /// As above, with limits for the call; the error is `error::not_acquired` if `call.timeout` passes while servers answer.
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_acquire(Count... count, CallOptions call, Token&& token = Token{}) {
        return acquire_as(count..., {}, std::move(call), token);
    }
    /// As above, within a time or until a stop is requested: `async_acquire(5s, token)`, `async_acquire(stop_token, token)`.
    template <CallLimit Limit, asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_acquire(Count... count, Limit limit, Token&& token = Token{}) {
        return acquire_as(count..., {}, limited_by(limit), token);
    }
    /// Acquires the lock if it is free now; otherwise the error is `error::not_acquired`.
    /// - Completion signature: `void(error_code, Held)`.
    /// - Cancellation: as async_acquire().
    /// - Errors: `error::not_acquired`, and the errors of async_acquire().
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire(Count... count, Token&& token = Token{}) {
        return acquire_as(count..., {AcquireWait::Kind::not_at_all}, {}, token);
    }
    /// As above, with limits for the call.
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire(Count... count, CallOptions call, Token&& token = Token{}) {
        return acquire_as(count..., {AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    /// Waits for the lock for at most `timeout`; then the error is `error::not_acquired`.
    ///
    /// The limit also covers connecting and retries. If the client has no connection at the end, the error is
    /// `error::not_connected`.
    /// - Completion signature: `void(error_code, Held)`.
    /// - Cancellation: as async_acquire().
    /// - Errors: `error::not_acquired`, and the errors of async_acquire().
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire_for(Count... count, const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return acquire_as(count..., {AcquireWait::Kind::until, deadline_after(timeout)}, {}, token);
    }
    /// As above, with limits for the call.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire_for(Count... count, const std::chrono::duration<Rep, Period>& timeout, CallOptions call,
                               Token&& token = Token{}) {
        return acquire_as(count..., {AcquireWait::Kind::until, deadline_after(timeout)}, std::move(call), token);
    }

private:
    template <typename Token> auto acquire_as(Count... count, AcquireWait wait, CallOptions call, Token& token) {
        return detail::initiate<Held>(
            [](const auto& core, auto... arguments) { initiate_acquire(core, std::move(arguments)...); }, token, this->core_,
            count..., wait, std::move(call));
    }
};

/// AsyncLock for one type of `Held`.
template <typename Held> struct LockOperations {
    /// The asynchronous operations of a lock.
    template <typename Base, typename Default> using Async = AsyncLock<Base, Held, Default>;
};

/// The base of the lock `Face`: its implementation and all its acquires.
template <typename Face, typename Core, typename Held>
using LockOf = BaseOn<Face, BlockingLock<Holder<Core>, Held>, LockOperations<Held>::template Async>;

} // namespace docent::detail
