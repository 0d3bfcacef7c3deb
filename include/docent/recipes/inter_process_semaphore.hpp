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

/// For several permits, all or none: `void(error_code, std::vector<Lease>)`.
template <typename Base, typename Default> class AsyncSemaphore : public AsyncLock<Base, Lease, Default> {
    using Single = AsyncLock<Base, Lease, Default>;

public:
    using Single::async_acquire;
    using Single::async_try_acquire;
    using Single::async_try_acquire_for;
    using Single::Single;
    AsyncSemaphore() = default;

    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_acquire(std::int32_t count, Token&& token = Token{}) {
        return permits(count, {}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_acquire(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return permits(count, {}, std::move(call), token);
    }
    /// As try_acquire(); `error::not_acquired` if there are not enough.
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire(std::int32_t count, Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::not_at_all}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    /// `error::not_acquired` if they cannot be had within `timeout`.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::until, deadline_after(timeout)}, {}, token);
    }
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = Default>
    auto async_try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, CallOptions call,
                               Token&& token = Token{}) {
        return permits(count, {AcquireWait::Kind::until, deadline_after(timeout)}, std::move(call), token);
    }

    /// As InterProcessSemaphore::usage().
    /// Completion signature: `void(error_code, PermitUsage)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = Default>
    auto async_usage(Token&& token = Token{}) const {
        return async_usage(CallOptions{}, std::forward<Token>(token));
    }
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

/// A number of permits that processes share: at most so many hold one at any time. Wire-compatible with Curator's
/// InterProcessSemaphoreV2 on the same path.
///
/// Permits are leases: they belong to whoever has the object, whichever thread that is, and nothing is reentrant. Taking one
/// while holding others may wait for ever, if everybody does so: who needs several takes them together.
///
/// **Fairness.** Strict order of arrival at the server: who wants many is not overtaken by those who want few.
///
/// **Limit.** A number that all users of the path must agree on, or one that follows a SharedCount: a raise lets waiters in at
/// once, a cut takes nothing back.
///
/// **Cost.** Free permits take two round trips, however many; handing one to the next in line takes one and a half (release,
/// its news, a look). Waiters cost no thread.
///
/// **Errors** of every acquiring call: those of InterProcessMutex; `server_error::bad_arguments` (fewer than one permit, or
/// more than a fixed limit); of the SharedCount: `error::corrupt_data`, and `server_error::invalid_state` before it was read.
///
/// The asynchronous forms are those of detail::AsyncLock, for a Lease, and of detail::AsyncSemaphore.
///
/// Lifetime and thread safety: as InterProcessMutex. A SharedCount must live as long as its limit is wanted.
class DOCENT_EXPORT InterProcessSemaphore
    : public detail::AsyncSemaphore<detail::Holder<detail::SemaphoreCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`, `server_error::bad_arguments` (a limit below one). Nothing is sent; parents are
    /// made when they are first needed, as `ClientConfig::own_parents` says (containers by default).
    InterProcessSemaphore(Client& client, std::string_view path, std::int32_t limit, LockOptions options = {});
    InterProcessSemaphore(Client& client, std::string_view path, const SharedCount& limit, LockOptions options = {});
    ~InterProcessSemaphore();
    InterProcessSemaphore(const InterProcessSemaphore&) = delete;
    InterProcessSemaphore& operator=(const InterProcessSemaphore&) = delete;

    const std::string& path() const noexcept;

    /// Waits for one permit. `call.timeout`, when given, fails with `error::not_acquired`.
    Lease acquire(CallOptions call = {});
    Lease acquire(error_code& ec, CallOptions call = {});
    /// Waits for `count` permits, all or none.
    std::vector<Lease> acquire(std::int32_t count, CallOptions call = {});
    std::vector<Lease> acquire(std::int32_t count, error_code& ec, CallOptions call = {});

    /// A permit if one is free now. While others are being served, it waits for them as long as permits are left, a second at
    /// most. Without a connection it waits for one as other calls do, and fails with `error::not_connected`.
    std::optional<Lease> try_acquire(CallOptions call = {});
    std::optional<Lease> try_acquire(error_code& ec, CallOptions call = {});
    std::optional<std::vector<Lease>> try_acquire(std::int32_t count, CallOptions call = {});
    std::optional<std::vector<Lease>> try_acquire(std::int32_t count, error_code& ec, CallOptions call = {});
    /// What can be had within `timeout`, which bounds connecting and retrying too.
    template <typename Rep, typename Period>
    std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<Lease> try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, error_code& ec,
                                         CallOptions call = {}) {
        return try_acquire_until_steady(detail::deadline_after(timeout), ec, std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<std::vector<Lease>> try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout,
                                                      CallOptions call = {}) {
        return try_acquire_until_steady(count, detail::deadline_after(timeout), std::move(call));
    }
    template <typename Rep, typename Period>
    std::optional<std::vector<Lease>> try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout,
                                                      error_code& ec, CallOptions call = {}) {
        return try_acquire_until_steady(count, detail::deadline_after(timeout), ec, std::move(call));
    }

    /// The limit, and how many permits are out at this moment. One round trip; old news when it arrives.
    PermitUsage usage(CallOptions call = {}) const;
    PermitUsage usage(error_code& ec, CallOptions call = {}) const;

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncSemaphore<InterProcessSemaphore, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
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
