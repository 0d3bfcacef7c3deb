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

class [[nodiscard]] MultiLease; // GCC takes the attribute only here, not beside DOCENT_EXPORT

namespace detail {
class HeldLocks;
DOCENT_EXPORT void initiate_release_all(const std::shared_ptr<HeldLocks>&, CallOptions, Handler<>);
DOCENT_EXPORT asio::any_io_executor executor_of(const HeldLocks&);

/// The asynchronous operations of MultiLease.
/// @ingroup leases
template <typename Base, typename Default> class AsyncMultiLease : public Base {
public:
    using Base::Base;
    /// Makes an empty object.
    AsyncMultiLease() = default;
    /// For `as_default_on()`: an object for the same state as `base`.
    explicit AsyncMultiLease(Base&& base) : Base(std::move(base)) {}

    /// Releases all locks, as MultiLease::release() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: `terminal` and `partial`. A
    /// cancelled call completes at once; the client still releases the locks in the background.
    /// Lifetime: the MultiLease may be moved or destroyed before completion.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_release(Token&& token = Token{}) {
        return async_release(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_release(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_release_all, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// What went wrong with one of several locks.
/// @ingroup errors
struct LockFailure {
    /// The path of the lock.
    std::string path;
    /// The error.
    error_code ec;
    /// Whether all members are equal.
    friend bool operator==(const LockFailure&, const LockFailure&) = default;
};

/// The exception of InterProcessMultiLock and MultiLease. `what()` names all failures.
///
/// ```cpp
/// try {
///     docent::MultiLease all = docent::InterProcessMultiLock(client, {"/a", "/b"}).acquire();
/// } catch (const docent::MultiLockError& e) {
///     const std::vector<docent::LockFailure>& failures = e.failures();
/// }
/// ```
/// @ingroup errors
class DOCENT_EXPORT MultiLockError : public Error {
public:
    /// Makes an exception with these failures.
    MultiLockError(error_code ec, const std::string& what, std::vector<LockFailure> failures)
        : Error(ec, what), failures_(std::move(failures)) {}

    /// One entry for each lock that failed, in the order of the list of locks. Empty if the call as
    /// a whole failed.
    const std::vector<LockFailure>& failures() const noexcept { return failures_; }

private:
    std::vector<LockFailure> failures_;
};

/// Several locks that are held together. The MultiLease object is the holder: it may move to
/// another thread.
///
/// ```cpp
/// docent::InterProcessMultiLock accounts{client, {"/accounts/a", "/accounts/b"}};
/// docent::MultiLease all = accounts.acquire();
/// const bool safe = all.owns() && !all.stop_token().stop_requested();
/// all.release(); // or leave the scope
/// ```
///
/// The destructor schedules the release of all locks. It never blocks and never throws.
///
/// Each lock may be lost or expire by itself, see Lease. To extend the holds, call Lease::extend()
/// of each of leases(). In a transaction, call Transaction::guard() with each of leases().
///
/// Thread safety: const members may be called from any thread at any time.
/// @ingroup leases
class DOCENT_EXPORT MultiLease : public detail::BaseOf<MultiLease, detail::HeldLocks, detail::AsyncMultiLease> {
public:
    /// Makes an empty object, which holds nothing.
    MultiLease() = default;
    /// For recipes: makes an object that holds these locks.
    explicit MultiLease(std::shared_ptr<detail::HeldLocks> held);
    /// Takes the leases from another object, which is then empty.
    MultiLease(MultiLease&&) noexcept = default;
    /// As the move constructor; schedules the release of the locks that this object held before.
    MultiLease& operator=(MultiLease&&) noexcept = default;

    /// Whether this object has leases, held or ended.
    explicit operator bool() const noexcept { return !leases().empty(); }

    /// Whether all locks are certainly still held at this moment. Reads the clock; no network.
    bool owns() const noexcept;

    /// Requests a stop when the first of the leases is lost or expires, see Lease::stop_token().
    std::stop_token stop_token() const noexcept;

    /// The leases, in the order of the list of locks.
    const std::vector<Lease>& leases() const noexcept;

    /// Calls Lease::keep_node_when_lost() of each lease.
    void keep_nodes_when_lost() noexcept;
    /// Calls Lease::make_revocable() of each lease. The handler is called once for each lock that a
    /// client asks for.
    void make_revocable(const std::function<void()>& handler, const asio::any_io_executor& executor = {});

    /// The locks that failed, in the order of the list of locks.
    ///
    /// After a failed acquire these are the locks that could not be acquired; after a release, the
    /// locks that could not be released.
    std::vector<LockFailure> failures() const;

    /// Releases all locks at the same time and waits until the server has confirmed each. A failure
    /// with one lock does not stop the others, see Lease::release().
    ///
    /// Errors: the error of the first of failures(); `error::lease_lost` for a lock that was lost
    /// or had expired before.
    void release(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void release(error_code& ec, CallOptions call = {});

private:
    friend struct detail::Access;
};

} // namespace docent
