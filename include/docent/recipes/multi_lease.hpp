// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/error.hpp>
#include <docent/export.hpp>
#include <docent/recipes/lease.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace docent {

namespace detail {
class HeldLocks;
DOCENT_EXPORT void initiate_release_all(const std::shared_ptr<HeldLocks>&, CallOptions, Handler<>);
DOCENT_EXPORT asio::any_io_executor executor_of(const HeldLocks&);

template <typename Base, typename Default> class AsyncMultiLease : public Base {
public:
    using Base::Base;
    AsyncMultiLease() = default;
    explicit AsyncMultiLease(Base&& base) : Base(std::move(base)) {}

    /// As MultiLease::release().
    /// Completion signature: `void(error_code)`. Cancellation: `terminal`, `partial`; completes at once, the release goes on.
    /// Lifetime: `*this` may be destroyed before completion.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_release(Token&& token = Token{}) {
        return async_release(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_release(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_release_all, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// What went wrong with one of several locks.
struct LockFailure {
    std::string path; ///< Of the lock.
    error_code ec;
    friend bool operator==(const LockFailure&, const LockFailure&) = default;
};

/// What the throwing forms of InterProcessMultiLock and MultiLease throw; `what()` names all failures.
class DOCENT_EXPORT MultiLockError : public Error {
public:
    MultiLockError(error_code ec, const std::string& what, std::vector<LockFailure> failures)
        : Error(ec, what), failures_(std::move(failures)) {}

    /// In the order in which the locks were listed; empty if the call itself failed.
    const std::vector<LockFailure>& failures() const noexcept { return failures_; }

private:
    std::vector<LockFailure> failures_;
};

/// Several locks that are held together, by whoever has this object; as a Lease, it may move across threads. The destructor
/// schedules the release of all; it never blocks and never throws.
///
/// Each may be lost by itself, or expire, as its own options say: see Lease. extend() each of leases(). In a transaction,
/// `guard()` each of leases().
///
/// Thread safety: const members from any thread at any time.
class DOCENT_EXPORT MultiLease : public detail::AsyncMultiLease<detail::Holder<detail::HeldLocks>, asio::deferred_t> {
public:
    MultiLease() = default; ///< Holds nothing.
    /// For recipes.
    explicit MultiLease(std::shared_ptr<detail::HeldLocks> held);
    MultiLease(MultiLease&&) noexcept = default;
    MultiLease& operator=(MultiLease&&) noexcept = default;

    /// Whether there are leases in this object, held or lost.
    explicit operator bool() const noexcept { return !leases().empty(); }

    /// Whether all locks are certainly still ours at this moment. Reads the clock; no network.
    bool owns() const noexcept;

    /// Stop is requested as soon as any of the leases is lost or expires: see Lease::stop_token().
    std::stop_token stop_token() const noexcept;

    /// In the order in which the locks were listed.
    const std::vector<Lease>& leases() const noexcept;

    /// As Lease::keep_node_when_lost() and Lease::make_revocable() of each: the handler is called for each lock that somebody
    /// asks for, once each.
    void keep_nodes_when_lost() noexcept;
    void make_revocable(const std::function<void()>& handler, const asio::any_io_executor& executor = {});

    /// What went wrong: with each lock that could not be acquired, if this came with an error; else with each that could not be
    /// released. In the order in which the locks were listed.
    std::vector<LockFailure> failures() const;

    /// Gives all locks back at once and waits until the server has confirmed it, whatever goes wrong with some of them: see
    /// Lease::release(). Errors: that of the first of failures(); `error::lease_lost` of a lock that was lost, or had expired,
    /// before.
    void release(CallOptions call = {});
    void release(error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncMultiLease<MultiLease, detail::DefaultToken<Executor>>, Executor>;
    };

private:
    friend struct detail::Access;
};

} // namespace docent
