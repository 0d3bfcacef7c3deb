// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

namespace detail {
class BarrierCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const BarrierCore& core);
DOCENT_EXPORT void initiate_barrier_set(const std::shared_ptr<BarrierCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_barrier_remove(const std::shared_ptr<BarrierCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_barrier_wait(const std::shared_ptr<BarrierCore>&, CallOptions, Handler<>);

/// The asynchronous operations of DistributedBarrier.
///
/// Lifetime: the barrier may be destroyed before an operation completes.
/// @ingroup locks
template <typename Base, typename Default> class AsyncBarrier : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Sets the barrier, as DistributedBarrier::set() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: as Client::async_create().
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_set(Token&& token = Token{}) {
        return async_set(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_set(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_set, token, this->core_, std::move(call));
    }

    /// Removes the barrier, as DistributedBarrier::remove() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: as Client::async_remove().
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_remove(Token&& token = Token{}) {
        return async_remove(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_remove(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_remove, token, this->core_, std::move(call));
    }

    /// Waits until there is no barrier, as DistributedBarrier::wait() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial` and `total`. A
    /// cancelled call completes at once.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_wait(Token&& token = Token{}) const {
        return async_wait(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<>(&detail::initiate_barrier_wait, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Holds processes at a path until a process removes the barrier. Works with Java Curator's
/// DistributedBarrier on the same path.
///
/// ```cpp
/// docent::DistributedBarrier maintenance{client, "/barriers/maintenance"};
/// maintenance.set();
/// maintenance.wait({.timeout = 10min}); // in other processes
/// maintenance.remove();
/// ```
///
/// The barrier is a persistent node with `ClientConfig::default_data`. It stays when the process
/// that set it ends.
///
/// **Cost.** Each call takes one round trip; set() takes two if the barrier is set already, or if a
/// parent is missing. A waiter costs one watch and no thread. It goes on
/// when the servers report the removal, also if the barrier was set again meanwhile. After a
/// disconnection it looks again.
///
/// Lifetime: once the client is closed, operations that need a server fail with `error::closed`.
/// Thread safety: all members may be called from any thread.
/// @ingroup locks
class DOCENT_EXPORT DistributedBarrier : public detail::BaseOf<DistributedBarrier, detail::BarrierCore, detail::AsyncBarrier> {
public:
    /// Makes a barrier object for `path`. Sends nothing; parents are made when first needed, as
    /// `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`.
    DistributedBarrier(Client& client, std::string_view path);
    /// Destroys the object. The barrier and waiting calls stay.
    ~DistributedBarrier() = default;
    DistributedBarrier(const DistributedBarrier&) = delete;            ///< Not copyable.
    DistributedBarrier& operator=(const DistributedBarrier&) = delete; ///< Not copyable.

    /// The path of the barrier.
    const std::string& path() const noexcept;

    /// Sets the barrier, so that later waiters wait. It may be set already. Errors: as
    /// Client::create().
    void set(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void set(error_code& ec, CallOptions call = {});

    /// Removes the barrier and lets all waiters go on. It may be removed already. Errors: as
    /// Client::remove().
    void remove(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void remove(error_code& ec, CallOptions call = {});

    /// Waits until there is no barrier, as the leader of the servers knows it; returns at once if
    /// there is none. Interruptible.
    ///
    /// If the client may not read the barrier, it notices the removal within 3/2 session timeouts.
    ///
    /// Errors: `server_error::operation_timeout` (`call.timeout` has passed), `error::closed`,
    /// `error::not_connected` (no session for `ClientConfig::connection_timeout` when the
    /// call must ask a server).
    void wait(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    void wait(error_code& ec, CallOptions call = {}) const;

protected:
    /// For `as_default_on()`: another object for the same state.
    DistributedBarrier(detail::SameObject same, const DistributedBarrier& other) : AsyncBarrier(same, other) {}

private:
    friend struct detail::Access;
};

} // namespace docent
