// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/recipes/permit_usage.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class [[nodiscard]] Lease; // GCC takes the attribute only here, not beside DOCENT_EXPORT

namespace detail {
class LeaseCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const LeaseCore& core);
DOCENT_EXPORT void initiate_release(const std::shared_ptr<LeaseCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_wait_lost(const std::shared_ptr<LeaseCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_downgrade(const std::shared_ptr<LeaseCore>& write, CallOptions, Handler<Lease>);

/// The asynchronous operations of Lease.
///
/// Lifetime: the lease may be moved or destroyed before an operation completes.
/// @ingroup leases
template <typename Base, typename Default> class AsyncLease : public Base {
public:
    using Base::Base;
    /// Makes an empty object.
    AsyncLease() = default;
    /// For `as_default_on()`: an object for the same state as `base`.
    explicit AsyncLease(Base&& base) : Base(std::move(base)) {}

    /// Releases the lock, as Lease::release() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; the client still releases the lock in the background.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_release(Token&& token = Token{}) {
        return async_release(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_release(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_release, token, this->core_, std::move(call));
    }

    /// Waits for the loss or expiry of the lease, as Lease::wait_lost() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial` and `total`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait_lost(Token&& token = Token{}) const {
        return async_wait_lost(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait_lost(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<>(&detail::initiate_wait_lost, token, this->core_, std::move(call));
    }

    /// Turns a write lease into a read lease, as Lease::downgrade() does.
    ///
    /// Completion signature: `void(error_code, Lease)`. Cancellation: `terminal`, `partial` and
    /// `total`. A cancelled call completes at once.
    template <asio::completion_token_for<void(error_code, Lease)> Token = Default>
    auto async_downgrade(Token&& token = Token{}) {
        return async_downgrade(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, Lease)> Token = Default>
    auto async_downgrade(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Lease>(&detail::initiate_downgrade, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// Whether a lease is held, or how it ended.
/// @ingroup leases
enum class LeaseState {
    /// The lease is held, and the client has a connection.
    held,
    /// The connection is broken; the lease is still held until its validity bound passes.
    suspended,
    /// The lease is not certainly held any more. The session has ended or may have ended, or the
    /// lock's node was deleted.
    lost,
    /// The lease is not held any more, because LockOptions::max_hold has passed.
    expired,
    /// The holder released the lease. An empty Lease has this state too.
    released,
};

/// The name of the enumerator, for example "held".
/// @ingroup leases
DOCENT_EXPORT std::string_view to_string(LeaseState state) noexcept;

/// A lock or permit that is held. The Lease object is the holder, not a thread: it may move to
/// another thread, and it is not reentrant.
///
/// ```cpp
/// docent::InterProcessMutex mutex{client, "/locks/nightly", {.max_hold = 5min}};
/// docent::Lease lease = mutex.acquire();
/// const std::stop_token lost = lease.stop_token();
/// for (int step = 0; step < 10 && !lost.stop_requested(); ++step) {
///     lease.extend(5min); // after each step of the work; throws error::lease_lost after a loss
/// }
/// lease.release();
/// ```
///
/// The destructor schedules the release. It never blocks and never throws. So `mutex.acquire();` as a
/// statement holds nothing, and the compiler warns of it. `std::ignore = mutex.acquire();` does not
/// warn.
///
/// **Loss.** A lease is lost when
/// - its session ends,
/// - another client deletes its node, or
/// - no server has answered for so long that the servers may soon end the session.
///
/// The last case is the validity bound. It is normally 7/12 of the session timeout after the last
/// answered heartbeat was sent (19/48 with `Heartbeats::relaxed`), measured on `CLOCK_BOOTTIME`.
/// docs/guarantees.md ("The bound") derives it and lists its assumptions, such as clocks that run
/// at about the same rate. With `ErrorPolicy::standard()` a lease is also lost as soon as the
/// connection breaks. A holder that was paused may write after the loss. To exclude that, let the
/// store check fencing_token().
///
/// **Expiry.** A lease with LockOptions::max_hold expires when that time has passed on
/// `CLOCK_BOOTTIME`. From that moment owns() returns false, also if the process was paused before.
/// Then the stop token fires, and then the client removes the node, so that the next waiter is
/// admitted. Apart from its state, an expired lease behaves as a lost lease. If the session has
/// ended as well when the process runs again, the lease is lost.
///
/// **Processes.** A lease belongs to the process that acquired it. In a child made by `fork()` the
/// copy is `lost`, the destructor releases nothing, and the stop token does not fire. There,
/// release(), extend(), wait_lost() and downgrade() fail with `error::other_process`. The lease of
/// the parent does not change.
///
/// Thread safety: const members may be called from any thread at any time.
/// @ingroup leases
class DOCENT_EXPORT Lease : public detail::BaseOf<Lease, detail::LeaseCore, detail::AsyncLease> {
public:
    /// Makes an empty lease, which holds nothing.
    Lease() = default;
    /// For recipes: makes a lease of this state.
    explicit Lease(std::shared_ptr<detail::LeaseCore> core);
    /// Takes the lease from another object, which is then empty.
    Lease(Lease&&) noexcept = default;
    /// As the move constructor; schedules the release of the lease that this object held before.
    Lease& operator=(Lease&& other) noexcept;
    /// Schedules the release, without blocking.
    ~Lease();

    /// Whether this object has a lease, held or ended.
    explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Whether the lock is certainly still held at this moment. Reads the clock; no network.
    bool owns() const noexcept;
    /// Whether the lease is held, or how it ended. Reads the clock; no network.
    LeaseState state() const noexcept;

    /// How long the lock is certainly still held if no server answers any more; zero if it is not
    /// held.
    ///
    /// The time grows with each answer of a server, up to remaining_hold(). Reads `CLOCK_BOOTTIME`;
    /// no network. To compute the end, read the clock before this call and add: the result is never
    /// too late.
    std::chrono::nanoseconds remaining() const noexcept;

    /// How much of LockOptions::max_hold is left; `std::nullopt` without a limit, zero if the lock
    /// is not held.
    std::optional<std::chrono::nanoseconds> remaining_hold() const noexcept;

    /// Lets the lease be held until `from_now` after this moment, if that is later than its present
    /// end.
    ///
    /// Does nothing if the lease has no limit. Does not change when the session ends. No network;
    /// may be called from any thread.
    ///
    /// Errors: `error::lease_lost` (the lease has ended; no call revives it),
    /// `server_error::bad_arguments` (`from_now` is not longer than 0). If an extension and the
    /// expiry happen at the same time, exactly one of them succeeds.
    void extend(std::chrono::milliseconds from_now) const;
    /// As above, but sets `ec` instead of throwing.
    void extend(std::chrono::milliseconds from_now, error_code& ec) const noexcept;

    /// Requests a stop when the lease is lost or expires, but not when it is released.
    ///
    /// Callbacks run on the client's executor, or on its own thread if it has none. Keep them short:
    /// while a callback runs, the client sends no heartbeat. After half of the session timeout (a
    /// fifth with `Heartbeats::relaxed`) the client's other leases would be lost as well. A callback
    /// must not call blocking operations of the client.
    std::stop_token stop_token() const noexcept;

    /// The fencing token: the czxid of the lock's node, which grows with each holder. Zero for an
    /// empty lease.
    ///
    /// A store that remembers the largest token can refuse a holder that does not yet know of its
    /// loss. A downgraded lease keeps the token of the write lease, because the node of the read
    /// lease may be younger than nodes of waiting writers.
    std::int64_t fencing_token() const noexcept;

    /// The number of this hold in its node, from 1 on. Zero for an empty lease.
    ///
    /// It exceeds 1 only if holds of one process share a node, see LockOptions::keep_for and
    /// LockOptions::max_local_handovers. Such holds have equal fencing tokens: a store that must
    /// order them compares this number next. Holds of readers that share a node have different
    /// numbers without an order.
    std::uint64_t hold_number() const noexcept;

    /// The path of the lock's node; empty for an empty lease.
    std::string node_path() const;

    /// The semaphore's limit and permits in use when this permit was granted, this permit included;
    /// `std::nullopt` for other locks.
    std::optional<PermitUsage> usage_at_grant() const;
    /// The data with which the node was made, decompressed and without the owner.
    std::string data() const;

    /// Releases the lock and waits until the server has confirmed it. A second release does
    /// nothing.
    ///
    /// If there is no connection, or the connection breaks, the call returns at once. The client
    /// then removes the node in the background when a server answers. The same happens when an
    /// overloaded server refuses the removal.
    ///
    /// Errors: `error::lease_lost` (the lease was lost or had expired before; it is released
    /// nevertheless), `server_error::no_auth` (the client may not delete nodes at the lock's path:
    /// the node stays, and the lock is held, until the session ends).
    void release(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void release(error_code& ec, CallOptions call = {});

    /// Waits until the lease is lost or expires, and then returns without an error.
    ///
    /// Errors: `operation_aborted` (the lease was released, or the object is empty),
    /// `server_error::operation_timeout` (`call.timeout` has passed).
    void wait_lost(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    void wait_lost(error_code& ec, CallOptions call = {}) const;

    /// Keeps the node after a loss or expiry until the lease is released or destroyed, as long as
    /// the session lives.
    ///
    /// Use it if your work needs time to stop, for example to end a child process: no other client
    /// is admitted in that time. It does not delay the end of the session. Release the lease before
    /// you acquire the same lock again; that acquire would wait for this node.
    ///
    /// The client watches the node from 0.1 s after this call on, with one request in the
    /// background, so that it learns of a deletion at once. Without this call the first heartbeat
    /// sets that watch. May be called from any thread.
    void keep_node_when_lost() noexcept;

    /// Calls `handler` when a client asks for this lock with revoke() or Curator's Revoker.
    ///
    /// For each lease, at most one handler is called, and only once, however many requests arrive. A request from before this
    /// call counts as well, because the client reads the node now, in the background. No disconnection loses a request. The
    /// handler decides whether and when to release.
    ///
    /// The handler runs on `executor`; without `executor` on the client's executor. If that belongs
    /// to your context, blocking calls fail there with `error::would_deadlock`: destroy the lease
    /// or call async_release().
    ///
    /// A second call replaces a handler that was not called yet; an empty handler removes it. The handler is dropped when
    /// the lease ends, but a call that has begun goes on. `executor` must live as long as the lease
    /// is held.
    void make_revocable(std::function<void()> handler, asio::any_io_executor executor = {});

    /// Turns a write lease of an InterProcessReadWriteLock into a read lease, ahead of all waiting
    /// writers.
    ///
    /// On success this lease is released. On failure it does not change. The read lease must be
    /// made revocable again, if it shall be.
    ///
    /// Errors: `error::lease_lost`, `server_error::bad_arguments` (this is not a write lease), and
    /// the errors of an acquire.
    Lease downgrade(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    Lease downgrade(error_code& ec, CallOptions call = {});

private:
    friend struct detail::Access;
};

} // namespace docent
