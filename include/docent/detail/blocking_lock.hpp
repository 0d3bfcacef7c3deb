// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/deadline.hpp>
#include <docent/error.hpp>

#include <chrono>
#include <optional>
#include <utility>

namespace docent::detail {

/// The result of a try: `not_acquired` is an empty result, and not an error.
template <typename Held> std::optional<Held> if_acquired(Held held, error_code& ec) {
    if (ec == error::not_acquired) ec = {};
    else if (!ec) return held;
    return std::nullopt;
}

/// The blocking acquires of locks. `Held` and `Count` are those of AsyncLock.
///
/// For the core of each lock there are two functions: `block_on_acquire(core, count..., wait, call, ec)` and
/// `throw_if_failed(ec, wait, core, held, count...)`.
template <typename Base, typename Held, typename... Count> class BlockingLock : public Base {
public:
    using Base::Base;

    /// Waits for the lock. If `call.timeout` passes first, fails with `error::not_acquired`. `boost::thread::interrupt()`
    /// interrupts the wait.
    [[nodiscard]] Held acquire(Count... count, CallOptions call = {}) {
        error_code ec;
        Held held = acquire(count..., ec, std::move(call));
        throw_if_failed(ec, AcquireWait{}, *this->core_, held, count...);
        return held;
    }
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] Held acquire(Count... count, error_code& ec, CallOptions call = {}) {
        return block_on_acquire(this->core_, count..., AcquireWait{}, std::move(call), ec);
    }
    /// As above, within a time or until a stop is requested: `acquire(5s)`, `acquire(stop_token)`.
    template <CallLimit Limit> [[nodiscard]] Held acquire(Count... count, const Limit& limit) {
        return acquire(count..., limited_by(limit));
    }
    /// As above, but sets `ec` instead of throwing.
    template <CallLimit Limit> [[nodiscard]] Held acquire(Count... count, error_code& ec, const Limit& limit) {
        return acquire(count..., ec, limited_by(limit));
    }
    /// Acquires the lock if it is free now; otherwise returns `std::nullopt`.
    [[nodiscard]] std::optional<Held> try_acquire(Count... count, CallOptions call = {}) {
        return try_or_throw({AcquireWait::Kind::not_at_all}, std::move(call), count...);
    }
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] std::optional<Held> try_acquire(Count... count, error_code& ec, CallOptions call = {}) {
        return if_acquired(
            block_on_acquire(this->core_, count..., AcquireWait{AcquireWait::Kind::not_at_all}, std::move(call), ec), ec);
    }
    /// Acquires the lock within `timeout`; otherwise returns `std::nullopt`. The time includes connecting and retries.
    template <typename Rep, typename Period>
    [[nodiscard]] std::optional<Held> try_acquire_for(Count... count, const std::chrono::duration<Rep, Period>& timeout,
                                                      CallOptions call = {}) {
        return try_or_throw({AcquireWait::Kind::until, deadline_after(timeout)}, std::move(call), count...);
    }
    /// As above, but sets `ec` instead of throwing.
    template <typename Rep, typename Period>
    [[nodiscard]] std::optional<Held> try_acquire_for(Count... count, const std::chrono::duration<Rep, Period>& timeout,
                                                      error_code& ec, CallOptions call = {}) {
        const AcquireWait wait{AcquireWait::Kind::until, deadline_after(timeout)};
        return if_acquired(block_on_acquire(this->core_, count..., wait, std::move(call), ec), ec);
    }

private:
    std::optional<Held> try_or_throw(AcquireWait wait, CallOptions call, Count... count) {
        error_code ec;
        Held held = block_on_acquire(this->core_, count..., wait, std::move(call), ec);
        if (ec == error::not_acquired) return std::nullopt;
        throw_if_failed(ec, wait, *this->core_, held, count...);
        return held;
    }
};

} // namespace docent::detail
