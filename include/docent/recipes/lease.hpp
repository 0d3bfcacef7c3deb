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

class Lease;

namespace detail {
class LeaseCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const LeaseCore& core);
DOCENT_EXPORT void initiate_release(const std::shared_ptr<LeaseCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_wait_lost(const std::shared_ptr<LeaseCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_downgrade(const std::shared_ptr<LeaseCore>& write, CallOptions, Handler<Lease>);

template <typename Base, typename Default> class AsyncLease : public Base {
public:
    using Base::Base;
    AsyncLease() = default;
    explicit AsyncLease(Base&& base) : Base(std::move(base)) {}

    /// As Lease::release().
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; completes at once, the release goes on.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_release(Token&& token = Token{}) {
        return async_release(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_release(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_release, token, this->core_, std::move(call));
    }

    /// As Lease::wait_lost().
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait_lost(Token&& token = Token{}) const {
        return async_wait_lost(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_wait_lost(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<>(&detail::initiate_wait_lost, token, this->core_, std::move(call));
    }

    /// As Lease::downgrade().
    /// Completion signature: `void(error_code, Lease)`. Cancellation: `terminal`, `partial`, `total`; completes at once.
    template <asio::completion_token_for<void(error_code, Lease)> Token = Default>
    auto async_downgrade(Token&& token = Token{}) {
        return async_downgrade(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, Lease)> Token = Default>
    auto async_downgrade(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<Lease>(&detail::initiate_downgrade, token, this->core_, std::move(call));
    }
};
} // namespace detail

enum class LeaseState {
    held,
    suspended, ///< No server answers at the moment; the lock is still ours until the validity bound passes.
    lost,      ///< Not ours any more, or not certainly: the session ended, may have ended, or the node was deleted.
    expired,   ///< Not ours any more: LockOptions::max_hold is over.
    released,
};

DOCENT_EXPORT std::string_view to_string(LeaseState state) noexcept;

/// A lock that is held, by whoever has this object: it may move across threads and is not reentrant. The destructor
/// schedules the release; it never blocks and never throws.
///
/// **Loss.** A lease ends when its session does, when somebody deletes its node, and when nothing was heard for so long that
/// the servers may soon end that: about 7/12 of the session timeout (on `CLOCK_BOOTTIME`) after the last answered heartbeat
/// was sent. What this takes for granted, such as clocks that run at about the same rate, is in docs/guarantees.md; what must
/// hold whatever happens belongs behind the fencing token.
///
/// **Expiry.** A lease with a LockOptions::max_hold ends when that is over, on the same clock, and from then on is as a lost
/// one, but for its state: owns() is false for whoever asks from that moment on, if this process stood still in between, too,
/// the stop token fires, and then the node is removed, which lets the next one in. Who stands still for longer than the session
/// lives finds it lost.
///
/// **Processes.** A lease belongs to the process that has acquired it. In a child made by `fork()` its copy is `lost`: owns()
/// returns false, the destructor releases nothing, and release(), extend(), wait_lost() and downgrade() fail with
/// `error::other_process`. The stop token does not fire there. The parent's lease is as before.
///
/// Thread safety: const members from any thread at any time.
class DOCENT_EXPORT Lease : public detail::AsyncLease<detail::Holder<detail::LeaseCore>, asio::deferred_t> {
public:
    Lease() = default; ///< Holds nothing.
    explicit Lease(std::shared_ptr<detail::LeaseCore> core);
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept;
    ~Lease();

    /// Whether there is a lease in this object, held or not.
    explicit operator bool() const noexcept { return core_ != nullptr; }

    /// Whether the lock is certainly still ours at this moment. Reads the clock; no network.
    bool owns() const noexcept;
    LeaseState state() const noexcept;

    /// For how long the lock is certainly still ours if no server answers any more and nobody extends it; zero when it is not.
    /// Grows again with each answer, up to what is left of `max_hold`. Reads `CLOCK_BOOTTIME`; no network. Add it to a time
    /// that was read before, and what comes out is never too late.
    std::chrono::nanoseconds remaining() const noexcept;

    /// What is left of `max_hold`, if nothing else ends it; nothing if there is no limit; zero when it is not held.
    std::optional<std::chrono::nanoseconds> remaining_hold() const noexcept;

    /// Holds it for so long from now on, if the session does and it would end sooner otherwise: an end never comes nearer.
    /// Without a limit it does nothing. No network; any thread. Errors: `error::lease_lost`, if it is over: nothing revives a
    /// lease, and of an extension and the end that meet, one wins; `server_error::bad_arguments` (not longer than 0).
    void extend(std::chrono::milliseconds from_now) const;
    void extend(std::chrono::milliseconds from_now, error_code& ec) const noexcept;

    /// Stop is requested when the lease is lost or expires (not when it is released). Callbacks run on the client's thread, or
    /// one that is in a blocking call, and must be short: while one runs no heartbeat is sent, and after half of the session
    /// timeout the client's other leases are lost, too. They may not call blocking operations of the client.
    std::stop_token stop_token() const noexcept;

    /// The czxid of the lock's node: grows with every holder, whatever happens. A store that remembers the largest one
    /// it saw can refuse a holder that does not know yet that it lost the lock. What was downgraded keeps that of the write
    /// lock, for its node is younger than those of the writers that wait.
    std::int64_t fencing_token() const noexcept;

    /// Which of the holds of its node it is, from 1 on: more than 1 only where holds of one process share a node, see
    /// LockOptions::keep_for. A store that takes what the threads of one process do for one another's compares this, too, where
    /// fencing tokens are equal. Those who read together have no order: each has a number that no other hold of the node has.
    std::uint64_t hold_number() const noexcept;

    /// Path of the lock's node.
    std::string node_path() const;

    /// For a semaphore's lease: its limit, and how many permits were out, this one among them, when it was granted.
    std::optional<PermitUsage> usage_at_grant() const;
    /// The data that the node was made with.
    std::string data() const;

    /// Gives the lock back and waits until the server has confirmed it. When the connection breaks meanwhile it returns at
    /// once, and the node is removed in the background as soon as a server answers; so it does when an overloaded server
    /// refuses to. Releasing again does nothing. Errors: `error::lease_lost`, if the lock was lost or had expired before (it is
    /// released nevertheless).
    void release(CallOptions call = {});
    void release(error_code& ec, CallOptions call = {});

    /// Waits until the lease is lost or expires, which is no error; `operation_aborted` when it was released.
    void wait_lost(CallOptions call = {}) const;
    void wait_lost(error_code& ec, CallOptions call = {}) const;

    /// For a holder that needs time to stop, such as one who runs a program: when the lease is lost or expires and its session
    /// lives, the node stays, so that nobody else is admitted, until the lease is released or destroyed. Without this it is
    /// removed as soon as the loss is known. It does not delay the end of the session. Release it before you acquire the same
    /// lock again, which would wait for it. The node is watched from now on, so that its deletion is known at once: one
    /// request, which nobody waits for. Without this the first heartbeat sets the watch. Any thread.
    void keep_node_when_lost() noexcept;

    /// Calls `handler` when somebody asks for this lock, by revoke() or with Curator's Revoker: once, however often it is asked
    /// for. A request that was written before counts, since the node was made, also while it waited for its turn: the node is
    /// read now, which nobody waits for. Disconnections lose no request. What to do about it, and when, is up to the handler.
    ///
    /// It is called on `executor`, or on the client's if it is empty. Where that is one that the client was given, blocking
    /// calls fail with `error::would_deadlock`: drop the lease there, or call async_release(). It is not called any more when
    /// the lease is over; a call that is under way is not waited for. The handler is kept until then, and
    /// `executor` must live as long; another one replaces it, an empty one takes it away.
    void make_revocable(std::function<void()> handler, asio::any_io_executor executor = {});

    /// Turns a write lease of an InterProcessReadWriteLock into a read lease, which keeps the place in front of the writers
    /// that wait. This lease is released then; if it fails, it is as it was. The other is a lease of its own, revocable when
    /// make_revocable() says so again. Errors: `error::lease_lost`; `server_error::bad_arguments` (not a write lease); those of
    /// an acquire.
    Lease downgrade(CallOptions call = {});
    Lease downgrade(error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncLease<Lease, detail::DefaultToken<Executor>>, Executor>;
    };

private:
    friend struct detail::Access;
};

} // namespace docent
