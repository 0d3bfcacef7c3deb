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

template <typename Base, typename Default> class AsyncBarrier : public Base {
public:
    using Base::Base;
    AsyncBarrier() = default;
    explicit AsyncBarrier(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature of all: `void(error_code)`. Lifetime: the barrier may be destroyed before completion.
    /// Cancellation: as Client::async_create().
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_set(Token&& token = Token{}) {
        return async_set(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_set(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_set, token, this->core_, std::move(call));
    }

    /// Cancellation: as Client::async_remove().
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_remove(Token&& token = Token{}) {
        return async_remove(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_remove(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_remove, token, this->core_, std::move(call));
    }

    /// Cancellation: `terminal`, `partial`, `total`; completes at once.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_wait(Token&& token = Token{}) const {
        return async_wait(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<>(&detail::initiate_barrier_wait, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Holds up all processes that wait at a path until somebody removes it, wire-compatible with Curator's DistributedBarrier: it
/// is a node, persistent, with `ClientConfig::default_data`. Whoever sets it may end; it stays.
///
/// **Cost.** Each call takes one round trip. Who waits costs one watch and no thread, and goes on when the servers say that the
/// barrier has gone; after a disconnection it looks again. It goes on also if the barrier was set again meanwhile.
///
/// Lifetime: must not outlive its client's `close()` usefully. Thread safety: all members from any thread.
class DOCENT_EXPORT DistributedBarrier : public detail::AsyncBarrier<detail::Holder<detail::BarrierCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`. Nothing is sent; parents are made when they are first needed, as
    /// `ClientConfig::own_parents` says (containers by default).
    DistributedBarrier(Client& client, std::string_view path);
    ~DistributedBarrier();
    DistributedBarrier(const DistributedBarrier&) = delete;
    DistributedBarrier& operator=(const DistributedBarrier&) = delete;

    const std::string& path() const noexcept;

    /// Whoever waits from now on is held up. It may be set already. Errors: those of Client::create.
    void set(CallOptions call = {});
    void set(error_code& ec, CallOptions call = {});

    /// Lets all go on who wait. It may have gone already. Errors: those of Client::remove.
    void remove(CallOptions call = {});
    void remove(error_code& ec, CallOptions call = {});

    /// Returns when there is no barrier, or none any more, as the leader of the servers knows it: at once if it is not set.
    /// A barrier that the client may not read is waited for, too: its removal is noticed within 3/2 session timeouts.
    /// Interruptible. Errors: `server_error::operation_timeout` (`call.timeout` is over), `error::closed`,
    /// `error::not_connected` (no session for `ClientConfig::connection_timeout` when it has to look).
    void wait(CallOptions call = {}) const;
    void wait(error_code& ec, CallOptions call = {}) const;

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncBarrier<DistributedBarrier, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    DistributedBarrier(detail::SameObject, const DistributedBarrier& other);

private:
    friend struct detail::Access;
};

} // namespace docent
