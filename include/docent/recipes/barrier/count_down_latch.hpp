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

/// The asynchronous operations of CountDownLatch.
///
/// Lifetime: the latch may be destroyed before an operation completes.
/// @ingroup locks
template <typename Base, typename Default> class AsyncCountDownLatch : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Counts down, as CountDownLatch::count_down() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`; also
    /// `total` until the first write is sent. A call that is cancelled during a write may have
    /// counted.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_count_down(std::int64_t times, Token&& token = Token{}) {
        return async_count_down(times, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_count_down(std::int64_t times, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_count_down, token, this->core_, times, std::move(call));
    }

    /// Waits until the count is zero, as CountDownLatch::wait() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial` and `total`. A
    /// cancelled call completes at once.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_wait(Token&& token = Token{}) const {
        return async_wait(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<>(&detail::initiate_count_wait, token, this->core_, std::move(call));
    }

    /// Reads the remaining count, as CountDownLatch::left() does.
    ///
    /// Completion signature: `void(error_code, std::int64_t)`. Cancellation: `terminal`, `partial`
    /// and `total`. A cancelled call completes at once.
    template <asio::completion_token_for<void(error_code, std::int64_t)> Token = Default>
    auto async_left(Token&& token = Token{}) const {
        return async_left(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, std::int64_t)> Token = Default>
    auto async_left(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<std::int64_t>(&detail::initiate_count_left, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Holds processes at a path until others have counted down to zero, once. Curator has no such
/// recipe.
///
/// ```cpp
/// docent::CountDownLatch loaded{client, "/latches/load-2026-11-25", 3};
/// loaded.count_down();                // in three processes
/// loaded.wait({.timeout = 10min});    // in the processes that need the data
/// const std::int64_t left = loaded.left();
/// ```
///
/// **On the server** the node holds how often the latch was counted down, in the format of
/// DistributedAtomicLong. Without a node, the latch was never counted down. Each count applies
/// exactly once, also after a lost reply and in another session. Java programs may count by adding
/// to Curator's DistributedAtomicLong. The node stays: use each latch once, and a new path for the
/// next time.
///
/// **Cost.** Counting costs as much as with DistributedAtomicLong. A waiter costs one watch and no
/// thread; it reads the node after each count.
///
/// Lifetime: once the client is closed, operations that need a server fail with `error::closed`.
/// Thread safety: all members may be called from any thread.
/// @ingroup locks
class DOCENT_EXPORT CountDownLatch : public detail::BaseOf<CountDownLatch, detail::CountDownCore, detail::AsyncCountDownLatch> {
public:
    /// Makes a latch at `path` that opens after `count` counts. All objects must give the same
    /// `count`. Sends nothing.
    ///
    /// Nodes are made when first needed. Errors: throws `error::invalid_path`, and
    /// `server_error::bad_arguments` if `count` is less than 1.
    CountDownLatch(Client& client, std::string_view path, std::int64_t count);
    /// Destroys the object. The count and waiting calls stay.
    ~CountDownLatch() = default;
    CountDownLatch(const CountDownLatch&) = delete;            ///< Not copyable.
    CountDownLatch& operator=(const CountDownLatch&) = delete; ///< Not copyable.

    /// The path of the latch.
    const std::string& path() const noexcept;

    /// Counts down `times` at once. Counts beyond zero change nothing for waiters.
    ///
    /// Errors: `server_error::bad_arguments` (`times` is less than 1),
    /// `server_error::operation_timeout` (it was not counted, or `call.timeout` has passed), and as
    /// DistributedAtomicLong::add().
    void count_down(std::int64_t times = 1, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void count_down(std::int64_t times, error_code& ec, CallOptions call = {});

    /// Waits until the count is zero, as the leader of the servers knows it. Interruptible.
    ///
    /// Errors: `server_error::operation_timeout` (`call.timeout` has passed), `error::closed`,
    /// `error::not_connected`, `error::corrupt_data` (the node does not hold a number),
    /// `server_error::no_auth`.
    void wait(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    void wait(error_code& ec, CallOptions call = {}) const;

    /// Reads how many counts are left, as one server knows it; never negative.
    std::int64_t left(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    std::int64_t left(error_code& ec, CallOptions call = {}) const;

protected:
    /// For `as_default_on()`: another object for the same state.
    CountDownLatch(detail::SameObject same, const CountDownLatch& other) : AsyncCountDownLatch(same, other) {}

private:
    friend struct detail::Access;
};

} // namespace docent
