// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/retry_policy.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

/// How a change was reached, or not.
struct AtomicStats {
    int optimistic_tries = 0; ///< Writes that were sent, each for the value that was read before it.
    std::chrono::milliseconds optimistic_time{0};
    int promoted_tries = 0; ///< The same under the mutex.
    std::chrono::milliseconds promoted_time{0};
    bool recovered = false; ///< The reply was lost, and the servers were asked what had become of the write.
    friend bool operator==(const AtomicStats&, const AtomicStats&) = default;
};

/// What came of a change of a DistributedAtomicValue or -Long.
template <typename T> struct AtomicResult {
    bool succeeded = false; ///< Always look at it: nothing has changed otherwise, or what was there was not what was expected.
    T before = {};          ///< What was there.
    T after = {};           ///< What is there by this change; without success, what was there.
    AtomicStats stats = {};
    friend bool operator==(const AtomicResult&, const AtomicResult&) = default;
};

/// Bytes; nothing, if there is no node.
using AtomicBytes = AtomicResult<std::optional<std::string>>;
/// A number; 0, if there is no node.
using AtomicNumber = AtomicResult<std::int64_t>;

/// A mutex under which to try once all others were faster.
struct PromotedToLock {
    std::string path;                                       ///< Of an InterProcessMutex, Curator's or docent's.
    RetryPolicy retry = RetryPolicy::none();                ///< Tries under it: there may be others who do not take it.
    std::optional<std::chrono::milliseconds> max_wait = {}; ///< For the mutex; without it, as long as it takes.
};

/// What is said of a DistributedAtomicValue or -Long when its object is made.
struct AtomicOptions {
    /// When to try again after somebody else was faster. Each who was slower was so because of one who was faster.
    RetryPolicy retry = RetryPolicy::exponential_backoff(std::chrono::milliseconds{1}, 29, std::chrono::milliseconds{32});
    std::optional<PromotedToLock> promoted = {};
    /// Where the object's marker goes: what tells after a lost reply whether a write was applied. Made as
    /// `ClientConfig::own_parents`; must be writable.
    std::string marker_parent = "/docent/atomics";
};

namespace detail {
class AtomicCore;
DOCENT_EXPORT asio::any_io_executor executor_of(const AtomicCore&);
DOCENT_EXPORT void initiate_atomic_get(const std::shared_ptr<AtomicCore>&, CallOptions, Handler<AtomicBytes>);
DOCENT_EXPORT void initiate_atomic_initialize(const std::shared_ptr<AtomicCore>&, std::string value, CallOptions,
                                              Handler<bool>);
DOCENT_EXPORT void initiate_atomic_force_set(const std::shared_ptr<AtomicCore>&, std::string value, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_atomic_compare_and_set(const std::shared_ptr<AtomicCore>&, std::string expected, std::string value,
                                                   CallOptions, Handler<AtomicBytes>);
DOCENT_EXPORT void initiate_atomic_try_set(const std::shared_ptr<AtomicCore>&, std::string value, CallOptions,
                                           Handler<AtomicBytes>);

template <typename Base, typename Default> class AsyncAtomicValue : public Base {
public:
    using Base::Base;
    AsyncAtomicValue() = default;
    explicit AsyncAtomicValue(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature: `void(error_code, AtomicBytes)`. Cancellation of all: `terminal`, `partial`; `total` until a write
    /// was sent. One that is cancelled with a write under way may have been applied. Lifetime of all: the object may be
    /// destroyed before completion.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_get(Token&& token = Token{}) {
        return async_get(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_get(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicBytes>(&detail::initiate_atomic_get, token, this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::string value, Token&& token = Token{}) {
        return async_initialize(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_atomic_initialize, token, this->core_, std::move(value),
                                      std::move(call));
    }

    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::string value, Token&& token = Token{}) {
        return async_force_set(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_atomic_force_set, token, this->core_, std::move(value), std::move(call));
    }

    /// Completion signature: `void(error_code, AtomicBytes)`.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_compare_and_set(std::string expected, std::string value, Token&& token = Token{}) {
        return async_compare_and_set(std::move(expected), std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_compare_and_set(std::string expected, std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicBytes>(&detail::initiate_atomic_compare_and_set, token, this->core_, std::move(expected),
                                             std::move(value), std::move(call));
    }

    /// Completion signature: `void(error_code, AtomicBytes)`.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_try_set(std::string value, Token&& token = Token{}) {
        return async_try_set(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_try_set(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicBytes>(&detail::initiate_atomic_try_set, token, this->core_, std::move(value),
                                             std::move(call));
    }
};
} // namespace detail

/// A value that many processes change, each change made for what was there: Curator's DistributedAtomicValue, on the same node
/// with the same bytes. Every change is tried optimistically, and then, if asked for, under a mutex.
///
/// **Exactly once.** A change is applied once or not at all, also if its reply was lost, the connection has moved to another
/// server, the session has ended, or others have written in between. With each write the same transaction changes a node of
/// this object's own, its marker; who has lost a reply writes to the marker itself, and is told what had happened before, or
/// has made it impossible. Errors that equal `condition::outcome_unknown` come only from a call that could not ask in time.
///
/// **Cost.** One round trip, if nobody else has written since this object's last call; else two, and one for each further try.
/// A lost reply costs one more. The first change makes the marker while it reads; one that does not read (initialize,
/// force_set) takes a round trip for it. The destructor removes it.
///
/// Calls on one object are carried out one at a time, in their order. Data is compressed as `ClientConfig::compression` says.
/// Who removes the node while others change it must know that versions begin anew: a write that was on its way may meet the
/// new node.
///
/// Lifetime: must not outlive its client's `close()` usefully. Thread safety: all members from any thread.
class DOCENT_EXPORT DistributedAtomicValue
    : public detail::AsyncAtomicValue<detail::Holder<detail::AtomicCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`, for all paths. Nothing is sent.
    DistributedAtomicValue(Client& client, std::string_view path, AtomicOptions options = {});
    ~DistributedAtomicValue();
    DistributedAtomicValue(const DistributedAtomicValue&) = delete;
    DistributedAtomicValue& operator=(const DistributedAtomicValue&) = delete;

    const std::string& path() const noexcept;

    /// What is there; always succeeds, also without a node. As with Client::get, the server may lag behind. Errors of all:
    /// those of Client::get and Client::commit; `error::corrupt_data`.
    AtomicBytes get(CallOptions call = {});
    AtomicBytes get(error_code& ec, CallOptions call = {});

    /// Makes the node, with its parents as `ClientConfig::own_parents`. False if it is there.
    bool initialize(std::string_view value, CallOptions call = {});
    bool initialize(std::string_view value, error_code& ec, CallOptions call = {});

    /// Replaces whatever is there, or makes the node.
    void force_set(std::string_view value, CallOptions call = {});
    void force_set(std::string_view value, error_code& ec, CallOptions call = {});

    /// Replaces what is there if it is `expected`. Fails only if something else was there, nothing, or all tries are used up.
    [[nodiscard]] AtomicBytes compare_and_set(std::string_view expected, std::string_view value, CallOptions call = {});
    [[nodiscard]] AtomicBytes compare_and_set(std::string_view expected, std::string_view value, error_code& ec,
                                              CallOptions call = {});

    /// Replaces what is there, or makes the node, and tells what was there. Fails if all tries are used up.
    [[nodiscard]] AtomicBytes try_set(std::string_view value, CallOptions call = {});
    [[nodiscard]] AtomicBytes try_set(std::string_view value, error_code& ec, CallOptions call = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other =
            detail::Rebound<detail::AsyncAtomicValue<DistributedAtomicValue, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    DistributedAtomicValue(detail::SameObject, const DistributedAtomicValue& other);

private:
    friend struct detail::Access;
    friend class DistributedAtomicLong;

    detail::ProcessOwned<void> marking_; // ends with the last of those that are the same value
};

} // namespace docent
