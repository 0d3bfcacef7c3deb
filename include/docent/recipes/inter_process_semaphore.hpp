// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/acquire_wait.hpp>
#include <docent/detail/async.hpp>
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
DOCENT_EXPORT void initiate_acquire_permit(const std::shared_ptr<SemaphoreCore>&, AcquireWait, CallOptions, Handler<Lease>);
DOCENT_EXPORT void initiate_acquire_permits(const std::shared_ptr<SemaphoreCore>&, std::int32_t count, AcquireWait, CallOptions,
                                            Handler<std::vector<Lease>>);
DOCENT_EXPORT void initiate_permit_usage(const std::shared_ptr<SemaphoreCore>&, CallOptions, Handler<PermitUsage>);
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
/// Lifetime and thread safety: as InterProcessMutex. A SharedCount must live as long as its limit is wanted.
class DOCENT_EXPORT InterProcessSemaphore {
public:
    /// Errors: throws `error::invalid_path`, `server_error::bad_arguments` (a limit below one). Nothing is sent; parents are
    /// made when they are first needed, as containers.
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
    /// most.
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

    /// Completion signature: `void(error_code, Lease)`.
    /// Cancellation: `terminal`, `partial`, `total`; completes at once with `operation_aborted`, what was made is removed in
    /// the background, also across a reconnect. Lifetime: `*this` may be destroyed before completion.
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_acquire(Token&& token = Token{}) {
        return initiate({}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_acquire(CallOptions call, Token&& token = Token{}) {
        return initiate({}, std::move(call), token);
    }
    /// The same for `count` permits. Completion signature: `void(error_code, std::vector<Lease>)`.
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = asio::deferred_t>
    auto async_acquire(std::int32_t count, Token&& token = Token{}) {
        return initiate(count, {}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = asio::deferred_t>
    auto async_acquire(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return initiate(count, {}, std::move(call), token);
    }
    /// As try_acquire(); `error::not_acquired` if there are not enough.
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire(Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::not_at_all}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire(CallOptions call, Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = asio::deferred_t>
    auto async_try_acquire(std::int32_t count, Token&& token = Token{}) {
        return initiate(count, {detail::AcquireWait::Kind::not_at_all}, {}, token);
    }
    template <asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = asio::deferred_t>
    auto async_try_acquire(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return initiate(count, {detail::AcquireWait::Kind::not_at_all}, std::move(call), token);
    }
    /// `error::not_acquired` if they cannot be had within `timeout`.
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::until, detail::deadline_after(timeout)}, {}, token);
    }
    template <typename Rep, typename Period, asio::completion_token_for<void(error_code, Lease)> Token = asio::deferred_t>
    auto async_try_acquire_for(const std::chrono::duration<Rep, Period>& timeout, CallOptions call, Token&& token = Token{}) {
        return initiate({detail::AcquireWait::Kind::until, detail::deadline_after(timeout)}, std::move(call), token);
    }
    template <typename Rep, typename Period,
              asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = asio::deferred_t>
    auto async_try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, Token&& token = Token{}) {
        return initiate(count, {detail::AcquireWait::Kind::until, detail::deadline_after(timeout)}, {}, token);
    }
    template <typename Rep, typename Period,
              asio::completion_token_for<void(error_code, std::vector<Lease>)> Token = asio::deferred_t>
    auto async_try_acquire_for(std::int32_t count, const std::chrono::duration<Rep, Period>& timeout, CallOptions call,
                               Token&& token = Token{}) {
        return initiate(count, {detail::AcquireWait::Kind::until, detail::deadline_after(timeout)}, std::move(call), token);
    }

    /// The limit, and how many permits are out at this moment. One round trip; old news when it arrives.
    PermitUsage usage(CallOptions call = {}) const;
    PermitUsage usage(error_code& ec, CallOptions call = {}) const;
    /// Completion signature: `void(error_code, PermitUsage)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = asio::deferred_t>
    auto async_usage(Token&& token = Token{}) const {
        return async_usage(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = asio::deferred_t>
    auto async_usage(CallOptions call, Token&& token = Token{}) const {
        return asio::async_initiate<Token, void(error_code, PermitUsage)>(
            [](auto handler, std::shared_ptr<detail::SemaphoreCore> core, CallOptions options) {
                detail::initiate_permit_usage(core, std::move(options), std::move(handler));
            },
            token, core_, std::move(call));
    }

private:
    friend struct detail::Access;

    template <typename Token> auto initiate(detail::AcquireWait wait, CallOptions call, Token& token) {
        return asio::async_initiate<Token, void(error_code, Lease)>(
            [](auto handler, std::shared_ptr<detail::SemaphoreCore> core, detail::AcquireWait w, CallOptions c) {
                detail::initiate_acquire_permit(core, w, std::move(c), std::move(handler));
            },
            token, core_, wait, std::move(call));
    }
    template <typename Token> auto initiate(std::int32_t count, detail::AcquireWait wait, CallOptions call, Token& token) {
        return asio::async_initiate<Token, void(error_code, std::vector<Lease>)>(
            [](auto handler, std::shared_ptr<detail::SemaphoreCore> core, std::int32_t n, detail::AcquireWait w,
               CallOptions c) { detail::initiate_acquire_permits(core, n, w, std::move(c), std::move(handler)); },
            token, core_, count, wait, std::move(call));
    }

    using Deadline = std::chrono::steady_clock::time_point;
    std::optional<Lease> try_acquire_until_steady(Deadline deadline, CallOptions call);
    std::optional<Lease> try_acquire_until_steady(Deadline deadline, error_code& ec, CallOptions call);
    std::optional<std::vector<Lease>> try_acquire_until_steady(std::int32_t count, Deadline deadline, CallOptions call);
    std::optional<std::vector<Lease>> try_acquire_until_steady(std::int32_t count, Deadline deadline, error_code& ec,
                                                               CallOptions call);

    std::shared_ptr<detail::SemaphoreCore> core_;
};

} // namespace docent
