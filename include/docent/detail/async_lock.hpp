// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/acquire_wait.hpp>
#include <docent/detail/rebind.hpp>

#include <chrono>
#include <memory>
#include <utility>

namespace docent::detail {

/// The asynchronous operations of whatever can be acquired.
///
/// Completion signature: `void(error_code, Held)`; Held is Lease, or MultiLease, whose failures() says more about an error.
/// Cancellation: `terminal`, `partial`, `total`; completes at once with `operation_aborted`, what is held, queued for or made
/// is given back in the background, also across a reconnect. Lifetime: `*this` may be destroyed before completion.
template <typename Base, typename Held, typename Default> class AsyncLock : public Base {
public:
    using Base::Base;
    AsyncLock() = default;
    explicit AsyncLock(Base&& base) : Base(SameObject{}, base) {}

    /// Waits for its turn in the queue and completes with what is held.
    template <asio::completion_token_for<void(error_code, Held)> Token = Default> auto async_acquire(Token&& token = Token{}) {
        return acquire_as({}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_acquire(CallOptions call, Token&& token = Token{}) {
        return acquire_as({}, std::move(call), token);
    }
    /// The same; `error::not_acquired` if it is not free.
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire(Token&& token = Token{}) {
        return acquire_as({AcquireWait::Kind::not_at_all}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire(CallOptions call, Token&& token = Token{}) {
        return acquire_as({AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    /// The same; `error::not_acquired` if it is not ours within `timeout`.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return acquire_as({AcquireWait::Kind::until, deadline_after(timeout)}, {}, token);
    }
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Held)> Token = Default>
    auto async_try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call, Token&& token = Token{}) {
        return acquire_as({AcquireWait::Kind::until, deadline_after(timeout)}, std::move(call), token);
    }

private:
    template <typename Token> auto acquire_as(AcquireWait wait, CallOptions call, Token& token) {
        return detail::initiate<Held>(
            [](const auto& core, auto... arguments) { initiate_acquire(core, std::move(arguments)...); }, token, this->core_,
            wait, std::move(call));
    }
};

} // namespace docent::detail
