// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/async_lock.hpp>
#include <docent/export.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/lock_options.hpp>
#include <docent/recipes/permit_usage.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;
class SharedCount;

namespace detail {
class SemaphoreCore;
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<SemaphoreCore>&, AcquireWait, CallOptions, Handler<Lease>);
DOCENT_EXPORT void initiate_acquire_permits(const std::shared_ptr<SemaphoreCore>&, std::int32_t count, AcquireWait, CallOptions,
                                            Handler<std::vector<Lease>>);
DOCENT_EXPORT void initiate_permit_usage(const std::shared_ptr<SemaphoreCore>&, CallOptions, Handler<PermitUsage>);
DOCENT_EXPORT asio::any_io_executor executor_of(const SemaphoreCore&);

/// The asynchronous operations of InterProcessSemaphore for several permits, all or none. Those for
/// one permit are in AsyncLock.
///
/// Cancellation: `terminal`, `partial` and `total`. A cancelled call completes at once with
/// `operation_aborted`; its nodes and permits are given back in the background. Lifetime: the
/// semaphore may be destroyed before completion.
/// @ingroup locks
template <typename Base, typename Default> class AsyncSemaphore : public AsyncLock<Base, Lease, Default> {
    using Single = AsyncLock<Base, Lease, Default>;

public:
    using Single::async_acquire;
    using Single::async_try_acquire;
    using Single::async_try_acquire_for;
    using Single::Single;
    /// Makes an empty object.
    AsyncSemaphore() = default;

    /// Waits for `count` permits.
    ///
    /// Completion signature: `void(error_code, std::vector<Lease>)`.
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_acquire(std::int32_t count, Token&& token = Token{}) {
        return permits(count, {}, {}, token);
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_acquire(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return permits(count, {}, std::move(call), token);
    }
    /// As above, within a time or until a stop is requested.
    template <CallLimit Limit, asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_acquire(std::int32_t count, Limit limit, Token&& token = Token{}) {
        return permits(count, {}, limited_by(limit), token);
    }
    /// Acquires `count` permits if they are free now; otherwise `error::not_acquired`.
    ///
    /// Completion signature: `void(error_code, std::vector<Lease>)`.
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire(std::int32_t count, Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::not_at_all}, {}, token);
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    /// Acquires `count` permits within `timeout`; otherwise `error::not_acquired`.
    ///
    /// Completion signature: `void(error_code, std::vector<Lease>)`.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::until, deadline_after(timeout)}, {}, token);
    }
    /// As above, with options for this call.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, CallOptions call,
                               Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::until, deadline_after(timeout)}, std::move(call), token);
    }

    /// Reads the limit and the number of permits in use, as InterProcessSemaphore::usage() does.
    ///
    /// Completion signature: `void(error_code, PermitUsage)`. Cancellation: `terminal`, `partial`
    /// and `total`.
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = Default>
    auto async_usage(Token&& token = Token{}) const {
        return async_usage(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = Default>
    auto async_usage(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<PermitUsage>(&detail::initiate_permit_usage, token, this->core_, std::move(call));
    }

private:
    template <typename Token> auto permits(std::int32_t count, AcquireWait wait, CallOptions call, Token& token) {
        return detail::initiate<std::vector<Lease>>(&detail::initiate_acquire_permits, token, this->core_, count, wait,
                                                    std::move(call));
    }
};
} // namespace detail

/// A limited number of permits that processes share. Works with Java Curator's
/// InterProcessSemaphoreV2 on the same path.
///
/// ```cpp
/// docent::InterProcessSemaphore seats{client, "/limits/licence", 3};
/// docent::Lease seat = seats.acquire();                // one of the three
/// std::optional<std::vector<docent::Lease>> two = seats.try_acquire_for(2, 30s);
/// const std::int32_t in_use = seats.usage().out;
/// ```
///
/// A permit is a Lease: it belongs to the object's owner, on any thread, and is not reentrant. If
/// several processes take a second permit while they hold the first, they may all wait for ever.
/// Take several permits in one call instead.
///
/// **Order.** Waiters are served strictly in the order of arrival. A request for many permits is
/// not overtaken by requests for few.
///
/// **Limit.** The limit is a number on which all users of the path must agree, or it follows a
/// SharedCount. A raised limit lets waiters in at once. A lowered limit takes no permit back.
///
/// **Cost.** Free permits take two round trips, however many. A hand-off to the next waiter takes
/// one and a half: the release, its event, and one look at the leases. Waiters cost no thread.
///
/// **Errors** of each acquiring call: as InterProcessMutex, and `server_error::bad_arguments`
/// (fewer than one permit, or more than a fixed limit). With a SharedCount: `error::corrupt_data`,
/// `error::not_started` before SharedCount::start(), and `server_error::invalid_state` if the count
/// was never read.
///
/// The asynchronous operations are members of detail::AsyncLock (one permit) and
/// detail::AsyncSemaphore (several).
///
/// Lifetime and thread safety: as InterProcessMutex. A SharedCount must live as long as the
/// semaphore shall follow it.
/// @ingroup locks
class DOCENT_EXPORT InterProcessSemaphore
    : public detail::AsyncSemaphore<detail::Holder<detail::SemaphoreCore>, asio::deferred_t> {
public:
    /// Makes a semaphore with a fixed limit. Sends nothing; parents are made when first needed, as
    /// `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the node's data cannot be
    /// compressed), and `server_error::bad_arguments` (the limit is below 1, or an option does not
    /// fit).
    InterProcessSemaphore(Client& client, std::string_view path, std::int32_t limit, LockOptions options = {});
    /// Makes a semaphore with the limit that a SharedCount holds. Call SharedCount::start() before
    /// you acquire.
    InterProcessSemaphore(Client& client, std::string_view path, const SharedCount& limit, LockOptions options = {});
    /// Destroys the object. Leases and waiting calls go on.
    ~InterProcessSemaphore();
    InterProcessSemaphore(const InterProcessSemaphore&) = delete;            ///< Not copyable.
    InterProcessSemaphore& operator=(const InterProcessSemaphore&) = delete; ///< Not copyable.

    /// The path of the semaphore.
    const std::string& path() const noexcept;

    /// Waits for one permit. If `call.timeout` passes first, fails with `error::not_acquired`.
    /// Interruptible.
    Lease acquire(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Lease acquire(error_code& ec, CallOptions call = {});
    /// As above, within a time or until a stop is requested: `acquire(5s)`, `acquire(stop_token)`.
    template <detail::CallLimit Limit> Lease acquire(const Limit& limit) { return acquire(detail::limited_by(limit)); }
    /// As above, but sets `ec` instead of throwing.
    template <detail::CallLimit Limit> Lease acquire(error_code& ec, const Limit& limit) {
        return acquire(ec, detail::limited_by(limit));
    }
    /// Waits for `count` permits, all or none.
    [[nodiscard]] std::vector<Lease> acquire(std::int32_t count, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] std::vector<Lease> acquire(std::int32_t count, error_code& ec, CallOptions call = {});
    /// As above, within a time or until a stop is requested.
    template <detail::CallLimit Limit> [[nodiscard]] std::vector<Lease> acquire(std::int32_t count, const Limit& limit) {
        return acquire(count, detail::limited_by(limit));
    }
    /// As above, but sets `ec` instead of throwing.
    template <detail::CallLimit Limit>
    [[nodiscard]] std::vector<Lease> acquire(std::int32_t count, error_code& ec, const Limit& limit) {
        return acquire(count, ec, detail::limited_by(limit));
    }

    /// Acquires one permit if it is free now; otherwise returns `std::nullopt`.
    ///
    /// While other callers are being served, the call waits for them as long as enough permits are
    /// left, at most 1 s. Without a connection it waits for one like any other call, and then fails
    /// with `error::not_connected`. It also fails so if the server does not answer within this 1 s.
    [[nodiscard]] std::optional<Lease> try_acquire(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] std::optional<Lease> try_acquire(error_code& ec, CallOptions call = {});
    /// Acquires `count` permits if they are free now, all or none; otherwise returns
    /// `std::nullopt`.
    [[nodiscard]] std::optional<std::vector<Lease>> try_acquire(std::int32_t count, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] std::optional<std::vector<Lease>> try_acquire(std::int32_t count, error_code& ec, CallOptions call = {});
    /// Acquires one permit within `timeout`; otherwise returns `std::nullopt`. The time includes
    /// connecting and retries.
    template <typename Rep, typename Period>
    [[nodiscard]] std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout,
                                                       CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), std::move(call));
    }
    /// As above, but sets `ec` instead of throwing.
    template <typename Rep, typename Period>
    [[nodiscard]] std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, error_code& ec,
                                                       CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), ec, std::move(call));
    }
    /// Acquires `count` permits within `timeout`, all or none; otherwise returns `std::nullopt`.
    template <typename Rep, typename Period>
    [[nodiscard]] std::optional<std::vector<Lease>>
    try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, CallOptions call = {}) {
        return try_acquire_until_steady(count, detail::deadline_after(timeout), std::move(call));
    }
    /// As above, but sets `ec` instead of throwing.
    template <typename Rep, typename Period>
    [[nodiscard]] std::optional<std::vector<Lease>> try_acquire_for(std::int32_t count,
                                                                    const std::chrono::duration<Rep, Period>& timeout,
                                                                    error_code& ec, CallOptions call = {}) {
        return try_acquire_until_steady(count, detail::deadline_after(timeout), ec, std::move(call));
    }

    /// Reads the limit and the number of permits in use. One round trip; the numbers may have
    /// changed when the reply arrives.
    ///
    /// Permits that the next waiter has reserved count as in use, see PermitUsage::out.
    PermitUsage usage(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    PermitUsage usage(error_code& ec, CallOptions call = {}) const;

    /// For `as_default_on()`, see Client: this class with the default completion token of
    /// `Executor`.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        /// The class with that default token.
        using other = detail::Rebound<detail::AsyncSemaphore<InterProcessSemaphore, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    /// For `as_default_on()`: another object for the same state.
    InterProcessSemaphore(detail::SameObject, const InterProcessSemaphore& other);

private:
    friend struct detail::Access;
    friend class InterProcessSemaphoreMutex;

    using Deadline = std::chrono::steady_clock::time_point;
    std::optional<Lease> try_acquire_until_steady(Deadline deadline, CallOptions call);
    std::optional<Lease> try_acquire_until_steady(Deadline deadline, error_code& ec, CallOptions call);
    std::optional<std::vector<Lease>> try_acquire_until_steady(std::int32_t count, Deadline deadline, CallOptions call);
    std::optional<std::vector<Lease>> try_acquire_until_steady(std::int32_t count, Deadline deadline, error_code& ec,
                                                               CallOptions call);
};

} // namespace docent
