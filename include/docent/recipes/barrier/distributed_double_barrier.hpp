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

/// The asynchronous operations of DistributedDoubleBarrier.
///
/// Cancellation of both: `terminal`, `partial` and `total`. A cancelled call completes at once, and
/// the member's node is removed in the background. Lifetime: the barrier may be destroyed before an
/// operation completes.
/// @ingroup locks
template <typename Base, typename Default> class AsyncDoubleBarrier : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Waits until all members are there, as DistributedDoubleBarrier::enter() does.
    ///
    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_enter(Token&& token = Token{}) {
        return async_enter(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_enter(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_enter, token, this->core_, std::move(call));
    }

    /// Waits until all members have left, as DistributedDoubleBarrier::leave() does.
    ///
    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_leave(Token&& token = Token{}) {
        return async_leave(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_leave(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_barrier_leave, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Lets processes begin together and end together. Works with Java Curator's
/// DistributedDoubleBarrier on the same path.
///
/// ```cpp
/// docent::DistributedDoubleBarrier barrier{client, "/barriers/load-test", 3};
/// barrier.enter(); // waits until three members are there
/// /* the work */
/// barrier.leave(); // waits until all have left
/// ```
///
/// enter() returns when enough members are there. leave() returns when all members that were inside
/// have left. One object is one member.
///
/// **Members.** A process counts from the beginning of enter() until it leaves, gives up, or loses
/// its session. More members than the number may come: a process that comes while others are inside
/// enters at once. leave() waits only for the members that were inside at its beginning. So the
/// same barrier may be entered again at once.
///
/// **Loss.** If the session ends during enter(), the call begins again. If the session ends or the
/// node is deleted while the member is inside, the member has left for the others. Its leave()
/// waits while the others may be inside, and then fails with `error::lease_lost`. It does not wait
/// for members that enter again, because they may wait for this member.
///
/// Lifetime: an object that is destroyed inside leaves without waiting. Once the client is closed,
/// operations that need a server fail with `error::closed`. Thread safety: all members may be
/// called from any thread, one call after the other.
/// @ingroup locks
class DOCENT_EXPORT DistributedDoubleBarrier
    : public detail::BaseOf<DistributedDoubleBarrier, detail::DoubleBarrierCore, detail::AsyncDoubleBarrier> {
public:
    /// Makes a member of the barrier at `path`. All members must give the same number `members`.
    /// Sends nothing.
    ///
    /// Parents are made when first needed, as `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`, and `server_error::bad_arguments` if `members` is less
    /// than 1.
    DistributedDoubleBarrier(Client& client, std::string_view path, std::int32_t members);
    /// Leaves without waiting if the member is inside.
    ~DistributedDoubleBarrier() = default;
    DistributedDoubleBarrier(const DistributedDoubleBarrier&) = delete;            ///< Not copyable.
    DistributedDoubleBarrier& operator=(const DistributedDoubleBarrier&) = delete; ///< Not copyable.

    /// The path of the barrier.
    const std::string& path() const noexcept;

    /// Waits until enough members are there. After an error, this member does not count any more.
    /// Interruptible.
    ///
    /// Errors: `server_error::operation_timeout` (`call.timeout` has passed),
    /// `error::lock_node_deleted` (another client deleted this member's node),
    /// `server_error::invalid_state` (this member has entered already), `error::closed`,
    /// `error::not_connected`, `server_error::no_auth`. A lost reply is resolved and not reported.
    void enter(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void enter(error_code& ec, CallOptions call = {});

    /// Waits until all members that were inside have left. This member has left also after an
    /// error. Interruptible.
    ///
    /// Errors: `error::lease_lost` (this member's node was gone before),
    /// `server_error::invalid_state` (this member is not inside), and as enter().
    void leave(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void leave(error_code& ec, CallOptions call = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    DistributedDoubleBarrier(detail::SameObject same, const DistributedDoubleBarrier& other)
        : AsyncDoubleBarrier(same, other) {}

private:
    friend struct detail::Access;
};

} // namespace docent
