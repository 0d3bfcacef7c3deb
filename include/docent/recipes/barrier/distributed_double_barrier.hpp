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
class DoubleBarrierCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const DoubleBarrierCore& core);
DOCENT_EXPORT void initiate_barrier_enter(const std::shared_ptr<DoubleBarrierCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_barrier_leave(const std::shared_ptr<DoubleBarrierCore>&, CallOptions, Handler<>);

template <typename Base, typename Default> class AsyncDoubleBarrier : public Base {
public:
    using Base::Base;
    AsyncDoubleBarrier() = default;
    explicit AsyncDoubleBarrier(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature of both: `void(error_code)`. Cancellation: `terminal`, `partial`, `total`; completes at once, and
    /// the member's node is removed in the background. Lifetime: the barrier may be destroyed before completion.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_enter(Token&& token = Token{}) {
        return async_enter(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_enter(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_enter, token, this->core_, std::move(call));
    }

    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_leave(Token&& token = Token{}) {
        return async_leave(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_leave(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_leave, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Lets processes begin together and end together: enter() returns when `members` of them are there, leave() when all that were
/// inside have left. Wire-compatible with Curator's DistributedDoubleBarrier on the same path. One object is one member.
///
/// **Who counts.** Who has begun to enter, until it leaves, gives up, or its session ends. More than `members` may come: who
/// comes while others are inside goes in at once. Whoever begins to leave waits for those that were inside at that time, not
/// for who comes later: so the same barrier may be entered again at once.
///
/// **Loss.** A session that ends while waiting to enter begins anew. Who loses its node while inside, because its session ended
/// or somebody deleted it, has left for the others; its leave() waits for them for as long as they may be inside, and then
/// fails: not for those who enter again, who may be waiting for it.
///
/// Lifetime: must not outlive its client's `close()` usefully; an object that is destroyed inside leaves without waiting.
/// Thread safety: all members from any thread, one call after the other.
class DOCENT_EXPORT DistributedDoubleBarrier
    : public detail::AsyncDoubleBarrier<detail::Holder<detail::DoubleBarrierCore>, asio::deferred_t> {
public:
    /// `members`: how many are to be there, the same for all. Errors: throws `error::invalid_path`, and
    /// `server_error::bad_arguments` if it is less than 1. Nothing is sent; parents are made when they are first needed,
    /// as `ClientConfig::own_parents` says (containers by default).
    DistributedDoubleBarrier(Client& client, std::string_view path, std::int32_t members);
    ~DistributedDoubleBarrier();
    DistributedDoubleBarrier(const DistributedDoubleBarrier&) = delete;
    DistributedDoubleBarrier& operator=(const DistributedDoubleBarrier&) = delete;

    const std::string& path() const noexcept;

    /// Waits until `members` are there. Interruptible. On every error this one does not count any more.
    /// Errors: `server_error::operation_timeout` (`call.timeout` is over), `error::lock_node_deleted` (somebody deleted its
    /// node), `server_error::invalid_state` (it has entered already), `error::closed`, `error::not_connected`, `no_auth`. Lost
    /// replies are resolved, never reported.
    void enter(CallOptions call = {});
    void enter(error_code& ec, CallOptions call = {});

    /// Waits until all who were inside have left. Interruptible. This one has left whatever comes of it.
    /// Errors: `error::lease_lost` (its node had gone before), `server_error::invalid_state` (it is not inside), and as
    /// enter().
    void leave(CallOptions call = {});
    void leave(error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other =
            detail::Rebound<detail::AsyncDoubleBarrier<DistributedDoubleBarrier, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    DistributedDoubleBarrier(detail::SameObject, const DistributedDoubleBarrier& other);

private:
    friend struct detail::Access;
};

} // namespace docent
