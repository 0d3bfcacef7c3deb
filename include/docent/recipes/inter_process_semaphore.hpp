// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/async_lock.hpp>
#include <docent/export.hpp>
#include <docent/recipes/lease.hpp>
#include <docent/recipes/lock_options.hpp>
#include <docent/recipes/permit_usage.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace docent {

class Client;
class SharedCount;

namespace detail {
class SemaphoreCore;
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<SemaphoreCore>&, AcquireWait, CallOptions, Handler<Lease>);
DOCENT_EXPORT void initiate_acquire(const std::shared_ptr<SemaphoreCore>&, std::int32_t count, AcquireWait, CallOptions,
                                    Handler<std::vector<Lease>>);
DOCENT_EXPORT Lease block_on_acquire(const std::shared_ptr<SemaphoreCore>&, AcquireWait, CallOptions, error_code&);
DOCENT_EXPORT std::vector<Lease> block_on_acquire(const std::shared_ptr<SemaphoreCore>&, std::int32_t count, AcquireWait,
                                                  CallOptions, error_code&);
DOCENT_EXPORT void throw_if_failed(const error_code&, AcquireWait, const SemaphoreCore&, const Lease&);
DOCENT_EXPORT void throw_if_failed(const error_code&, AcquireWait, const SemaphoreCore&, const std::vector<Lease>&,
                                   std::int32_t count);
DOCENT_EXPORT void initiate_permit_usage(const std::shared_ptr<SemaphoreCore>&, CallOptions, Handler<PermitUsage>);
DOCENT_EXPORT asio::any_io_executor executor_of(const SemaphoreCore&);

/// The blocking acquires of InterProcessSemaphore: of one permit, and of several permits.
template <typename Base>
class BlockingSemaphore : public BlockingLock<BlockingLock<Base, std::vector<Lease>, std::int32_t>, Lease> {
    using Several = BlockingLock<Base, std::vector<Lease>, std::int32_t>;
    using One = BlockingLock<Several, Lease>;

public:
    using One::acquire;
    using One::One;
    using One::try_acquire;
    using One::try_acquire_for;
    using Several::acquire;
    using Several::try_acquire;
    using Several::try_acquire_for;
};

/// The asynchronous operations of InterProcessSemaphore: for one permit, and for `count` permits,
/// all or none.
/// @ingroup locks
template <typename Base, typename Default>
class AsyncSemaphore : public AsyncLock<AsyncLock<Base, std::vector<Lease>, Default, std::int32_t>, Lease, Default> {
    using Several = AsyncLock<Base, std::vector<Lease>, Default, std::int32_t>;
    using One = AsyncLock<Several, Lease, Default>;

public:
    using One::async_acquire;
    using One::async_try_acquire;
    using One::async_try_acquire_for;
    using One::One;
    using Several::async_acquire;
    using Several::async_try_acquire;
    using Several::async_try_acquire_for;

    /// Reads the limit and the number of permits in use, as InterProcessSemaphore::usage() does.
    ///
    /// Completion signature: `void(error_code, PermitUsage)`. Cancellation: `terminal`, `partial`
    /// and `total`.
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = Default>
    auto async_usage(Token&& token = Token{}) const {
        return async_usage(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, PermitUsage)> Token = Default>
    auto async_usage(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<PermitUsage>(&detail::initiate_permit_usage, token, this->core_, std::move(call));
    }
};
} // namespace detail

/// A limited number of permits that processes share. Works with Java Curator's
/// InterProcessSemaphoreV2 on the same path.
///
/// ```cpp
/// docent::InterProcessSemaphore seats{client, "/limits/licence", 3};
/// docent::Lease seat = seats.acquire();                // one of the three
/// std::optional<std::vector<docent::Lease>> two = seats.try_acquire_for(2, 30s);
/// const std::int32_t in_use = seats.usage().out;
/// ```
///
/// A permit is a Lease: it belongs to the object's owner, on any thread, and is not reentrant. If
/// several processes take a second permit while they hold the first, they may all wait for ever.
/// Take several permits in one call instead.
///
/// **Order.** Waiters are served strictly in the order of arrival. A request for many permits is
/// not overtaken by requests for few.
///
/// **Several permits.** With `count` as the first argument, acquire() and its variants acquire
/// `count` permits, all or none. In the descriptions of the acquires, "the lock" is one permit, or
/// all of these permits.
///
/// **Tries.** While other callers are being served, try_acquire() waits for them as long as enough
/// permits are left, at most 1 s. Without a connection it waits for one like any other call, and
/// then fails with `error::not_connected`. It also fails so if no server has listed the permits
/// within this 1 s.
///
/// **Limit.** The limit is a number on which all users of the path must agree, or it follows a
/// SharedCount. A raised limit lets waiters in at once. A lowered limit takes no permit back.
///
/// **Cost.** Free permits take two round trips, however many. A hand-off to the next waiter takes
/// one and a half: the release, its event, and one look at the leases. Waiters cost no thread.
///
/// **Errors** of each acquiring call: as InterProcessMutex, and `server_error::bad_arguments`
/// (fewer than one permit, or more than a fixed limit). With a SharedCount: `error::corrupt_data`,
/// `error::not_started` before SharedCount::start(), and `server_error::invalid_state` if the count
/// was never read.
///
/// The asynchronous operations are members of detail::AsyncSemaphore and detail::AsyncLock, and the
/// blocking acquires of detail::BlockingLock; they give a Lease, or a vector of `count` leases.
///
/// Lifetime and thread safety: as InterProcessMutex. A SharedCount must live as long as the
/// semaphore shall follow it.
/// @ingroup locks
class DOCENT_EXPORT InterProcessSemaphore
    : public detail::BaseOn<InterProcessSemaphore, detail::BlockingSemaphore<detail::Holder<detail::SemaphoreCore>>,
                            detail::AsyncSemaphore> {
public:
    /// Makes a semaphore with a fixed limit. Sends nothing; parents are made when first needed, as
    /// `ClientConfig::own_parents` says.
    ///
    /// Errors: throws `error::invalid_path`, `error::corrupt_data` (the node's data cannot be
    /// compressed), and `server_error::bad_arguments` (the limit is below 1, or an option does not
    /// fit).
    InterProcessSemaphore(Client& client, std::string_view path, std::int32_t limit, LockOptions options = {});
    /// Makes a semaphore with the limit that a SharedCount holds. Call SharedCount::start() before
    /// you acquire.
    InterProcessSemaphore(Client& client, std::string_view path, const SharedCount& limit, LockOptions options = {});
    /// Destroys the object. Leases and waiting calls go on.
    ~InterProcessSemaphore() = default;
    InterProcessSemaphore(const InterProcessSemaphore&) = delete;            ///< Not copyable.
    InterProcessSemaphore& operator=(const InterProcessSemaphore&) = delete; ///< Not copyable.

    /// The path of the semaphore.
    const std::string& path() const noexcept;

    /// Reads the limit and the number of permits in use. One round trip; the numbers may have
    /// changed when the reply arrives.
    ///
    /// Permits that the next waiter has reserved count as in use, see PermitUsage::out.
    PermitUsage usage(CallOptions call = {}) const;
    /// As above, but sets `ec` instead of throwing.
    PermitUsage usage(error_code& ec, CallOptions call = {}) const;

protected:
    /// For `as_default_on()`: another object for the same state.
    InterProcessSemaphore(detail::SameObject same, const InterProcessSemaphore& other) : AsyncSemaphore(same, other) {}

private:
    friend struct detail::Access;
    friend class InterProcessSemaphoreMutex;
};

} // namespace docent
