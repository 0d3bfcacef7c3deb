// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

namespace detail {
class CountDownCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const CountDownCore& core);
DOCENT_EXPORT void initiate_count_down(const std::shared_ptr<CountDownCore>&, std::int64_t times, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_count_wait(const std::shared_ptr<CountDownCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_count_left(const std::shared_ptr<CountDownCore>&, CallOptions, Handler<std::int64_t>);

template <typename Base, typename Default> class AsyncCountDownLatch : public Base {
public:
    using Base::Base;
    AsyncCountDownLatch() = default;
    explicit AsyncCountDownLatch(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature: `void(error_code)`. Cancellation: see DistributedAtomicValue. Lifetime: the latch may be destroyed
    /// before completion.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_count_down(std::int64_t times, Token&& token = Token{}) {
        return async_count_down(times, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_count_down(std::int64_t times, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_count_down, token, this->core_, times, std::move(call));
    }

    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`, `total`; completes at once.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_wait(Token&& token = Token{}) const {
        return async_wait(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<>(&detail::initiate_count_wait, token, this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code, std::int64_t)`. Cancellation: as async_wait().
    template <asio::completion_token_for<void(error_code, std::int64_t)> Token = Default>
    auto async_left(Token&& token = Token{}) const {
        return async_left(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, std::int64_t)> Token = Default>
    auto async_left(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<std::int64_t>(&detail::initiate_count_left, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Holds up all processes that wait at a path until others have counted down to zero, once. Curator has no such recipe.
///
/// **On the server** its node has, as a DistributedAtomicLong, how often it was counted down; no node: not yet. Each count
/// counts exactly once, also after a lost reply and in another session; Java programs may count by adding to Curator's
/// DistributedAtomicLong. The node stays when all have ended: a latch is for one occasion, and its path names that.
///
/// **Cost.** As DistributedAtomicLong to count down. Who waits costs one watch and no thread, and looks after each count.
///
/// Lifetime: must not outlive its client's `close()` usefully. Thread safety: all members from any thread.
class DOCENT_EXPORT CountDownLatch
    : public detail::AsyncCountDownLatch<detail::Holder<detail::CountDownCore>, asio::deferred_t> {
public:
    /// `count`: how often it must be counted down, the same for all. Errors: throws `error::invalid_path`, and
    /// `server_error::bad_arguments` if it is less than 1. Nothing is sent; nodes are made when they are first needed.
    CountDownLatch(Client& client, std::string_view path, std::int64_t count);
    ~CountDownLatch();
    CountDownLatch(const CountDownLatch&) = delete;
    CountDownLatch& operator=(const CountDownLatch&) = delete;

    const std::string& path() const noexcept;

    /// Counts down `times`, all at once. Below zero it changes nothing for those who wait.
    /// Errors: `server_error::bad_arguments` (`times` is less than 1), `server_error::operation_timeout` (not counted, or
    /// `call.timeout` is over), and those of DistributedAtomicLong::add.
    void count_down(std::int64_t times = 1, CallOptions call = {});
    void count_down(std::int64_t times, error_code& ec, CallOptions call = {});

    /// Returns when it was counted down to zero, as the leader of the servers knows it. Interruptible.
    /// Errors: `server_error::operation_timeout` (`call.timeout` is over), `error::closed`, `error::not_connected`,
    /// `error::corrupt_data` (the node is no number), `no_auth`.
    void wait(CallOptions call = {}) const;
    void wait(error_code& ec, CallOptions call = {}) const;

    /// How often it is still to be counted down, as one server knows it.
    std::int64_t left(CallOptions call = {}) const;
    std::int64_t left(error_code& ec, CallOptions call = {}) const;

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncCountDownLatch<CountDownLatch, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    CountDownLatch(detail::SameObject, const CountDownLatch& other);

private:
    friend struct detail::Access;
};

} // namespace docent
