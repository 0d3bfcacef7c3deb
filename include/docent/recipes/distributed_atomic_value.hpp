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

/// How many tries a change took, and how long.
/// @ingroup values
struct AtomicStats {
    /// How many writes were tried without the mutex, also if a write could not be sent. Each
    /// applies only if the value has not changed since it was read.
    int optimistic_tries = 0;
    /// The time of the optimistic tries.
    std::chrono::milliseconds optimistic_time{0};
    /// How many writes were tried under the mutex of PromotedToLock.
    int promoted_tries = 0;
    /// The time of the tries under the mutex, with the wait for it.
    std::chrono::milliseconds promoted_time{0};
    /// Whether a reply was lost and the servers were asked about the write.
    bool recovered = false;
    /// Whether all members are equal.
    friend bool operator==(const AtomicStats&, const AtomicStats&) = default;
};

/// The result of a call of DistributedAtomicValue or DistributedAtomicLong.
/// @ingroup values
template <typename T> struct AtomicResult {
    /// Whether the change was applied. Always check it. If false and there is no error, nothing has changed. After an error
    /// that equals `condition::outcome_unknown`, and after `operation_aborted`, the change may be applied.
    bool succeeded = false;
    /// The value before the change.
    T before = {};
    /// The value after the change. Without success, the same as `before`.
    T after = {};
    /// How many tries it took, and how long.
    AtomicStats stats = {};
    /// Whether all members are equal.
    friend bool operator==(const AtomicResult&, const AtomicResult&) = default;
};

/// A result of DistributedAtomicValue. Its values are `std::nullopt` if there is no node.
/// @ingroup values
using AtomicBytes = AtomicResult<std::optional<std::string>>;
/// A result of DistributedAtomicLong. Its values are 0 if there is no node.
/// @ingroup values
using AtomicNumber = AtomicResult<std::int64_t>;

/// A mutex for the tries that follow when all optimistic tries have failed.
/// @ingroup values
struct PromotedToLock {
    /// The path of an InterProcessMutex, docent's or Curator's.
    std::string path;
    /// When to try again under the mutex. Clients that do not take the mutex may still be faster.
    RetryPolicy retry = RetryPolicy::none();
    /// The longest wait for the mutex; without it there is no limit.
    std::optional<std::chrono::milliseconds> max_wait = {};
};

/// The options of a DistributedAtomicValue or DistributedAtomicLong.
///
/// ```cpp
/// docent::AtomicOptions options{.promoted = docent::PromotedToLock{.path = "/locks/counter"}};
/// docent::DistributedAtomicValue value{client, "/counters/jobs", options};
/// ```
/// @ingroup values
struct AtomicOptions {
    /// When to try again after another client was faster. By default up to 29 times, with pauses
    /// from 1 ms to 32 ms.
    RetryPolicy retry = RetryPolicy::exponential_backoff(std::chrono::milliseconds{1}, 29, std::chrono::milliseconds{32});
    /// The mutex for further tries; without it there are none.
    std::optional<PromotedToLock> promoted = {};
    /// The parent of the object's marker, the node that tells after a lost reply whether a write
    /// was applied.
    ///
    /// It is made as `ClientConfig::own_parents` says. The client needs the right to make nodes
    /// there.
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

/// The asynchronous operations of DistributedAtomicValue.
///
/// Cancellation of all: `terminal` and `partial`; also `total` until the first write is sent. A
/// call that is cancelled during a write may have been applied. Lifetime: the object may be
/// destroyed before an operation completes.
/// @ingroup values
template <typename Base, typename Default> class AsyncAtomicValue : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Reads the value, as DistributedAtomicValue::get() does.
    ///
    /// Completion signature: `void(error_code, AtomicBytes)`.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_get(Token&& token = Token{}) {
        return async_get(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_get(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicBytes>(&detail::initiate_atomic_get, token, this->core_, std::move(call));
    }

    /// Makes the node if it is missing, as DistributedAtomicValue::initialize() does.
    ///
    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::string value, Token&& token = Token{}) {
        return async_initialize(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_atomic_initialize, token, this->core_, std::move(value),
                                      std::move(call));
    }

    /// Replaces the value, as DistributedAtomicValue::force_set() does.
    ///
    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::string value, Token&& token = Token{}) {
        return async_force_set(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_atomic_force_set, token, this->core_, std::move(value), std::move(call));
    }

    /// Replaces the value if it is `expected`, as DistributedAtomicValue::compare_and_set() does.
    ///
    /// Completion signature: `void(error_code, AtomicBytes)`.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_compare_and_set(std::string expected, std::string value, Token&& token = Token{}) {
        return async_compare_and_set(std::move(expected), std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_compare_and_set(std::string expected, std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicBytes>(&detail::initiate_atomic_compare_and_set, token, this->core_, std::move(expected),
                                             std::move(value), std::move(call));
    }

    /// Replaces the value and tells the old value, as DistributedAtomicValue::try_set() does.
    ///
    /// Completion signature: `void(error_code, AtomicBytes)`.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_try_set(std::string value, Token&& token = Token{}) {
        return async_try_set(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicBytes)> Token = Default>
    auto async_try_set(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicBytes>(&detail::initiate_atomic_try_set, token, this->core_, std::move(value),
                                             std::move(call));
    }
};
} // namespace detail

/// A value that many processes change atomically. Uses the same node and bytes as Curator's
/// DistributedAtomicValue.
///
/// ```cpp
/// docent::DistributedAtomicValue owner{client, "/values/owner"};
/// owner.initialize("nobody");
/// docent::AtomicBytes result = owner.compare_and_set("nobody", "db3");
/// const bool is_ours = result.succeeded;
/// ```
///
/// Each change is first tried optimistically: a write that applies only if the value has not
/// changed since it was read. If AtomicOptions::promoted is set, further tries follow under a
/// mutex.
///
/// **Exactly once.** A change is applied once or not at all. That holds also if its reply was lost,
/// the connection moved to another server, the session ended, or other clients wrote meanwhile. The
/// transaction of each write also changes the marker, a node of this object. After a lost reply the
/// object writes to the marker itself. The reply tells whether the lost write was applied; if not,
/// it can no longer apply. An error that equals `condition::outcome_unknown` comes only from a call
/// that had no time or tries left for that, whose marker another client has removed, or whose
/// credentials the servers refuse.
///
/// **Cost.** One round trip if no other client wrote since this object's last call; otherwise two,
/// and one for each further try. A lost reply costs one more. The first change makes the marker
/// while it reads. If the first change does not read (initialize(), force_set()), the marker costs
/// one round trip. The destructor removes the marker.
///
/// Changes by one object are carried out one at a time, in their order; get() does not wait for
/// them. Data is compressed as
/// `ClientConfig::compression` says. Do not remove the node while other clients change it: versions
/// start again, and a delayed write may apply to the new node.
///
/// Lifetime: once the client is closed, operations that need a server fail with `error::closed`.
/// Thread safety: all members may be called from any thread.
/// @ingroup values
class DOCENT_EXPORT DistributedAtomicValue
    : public detail::BaseOf<DistributedAtomicValue, detail::AtomicCore, detail::AsyncAtomicValue> {
public:
    /// Makes an atomic value at `path`. Sends nothing.
    ///
    /// Errors: throws `error::invalid_path`, for any of the paths.
    DistributedAtomicValue(Client& client, std::string_view path, AtomicOptions options = {});
    /// Removes the marker in the background.
    ~DistributedAtomicValue() = default;
    DistributedAtomicValue(const DistributedAtomicValue&) = delete;            ///< Not copyable.
    DistributedAtomicValue& operator=(const DistributedAtomicValue&) = delete; ///< Not copyable.

    /// The path of the node.
    const std::string& path() const noexcept;

    /// Reads the value. AtomicResult::succeeded is true, also without a node. The server may lag
    /// behind, as with Client::get().
    ///
    /// Errors of all members: as Client::get() and Client::commit(), and `error::corrupt_data`; with
    /// AtomicOptions::promoted also as InterProcessMutex::acquire().
    AtomicBytes get(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    AtomicBytes get(error_code& ec, CallOptions call = {});

    /// Makes the node with this value; returns false if it exists. Parents are made as
    /// `ClientConfig::own_parents` says. Errors: also `server_error::operation_timeout` if all tries
    /// were used up; then nothing has changed.
    bool initialize(std::string_view value, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    bool initialize(std::string_view value, error_code& ec, CallOptions call = {});

    /// Replaces any value, or makes the node. Errors: also `server_error::operation_timeout` if all
    /// tries were used up; then nothing has changed.
    void force_set(std::string_view value, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void force_set(std::string_view value, error_code& ec, CallOptions call = {});

    /// Replaces the value if it is `expected`. Without success there was another value or no node,
    /// or all tries or the time of the call were used up.
    [[nodiscard]] AtomicBytes compare_and_set(std::string_view expected, std::string_view value, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicBytes compare_and_set(std::string_view expected, std::string_view value, error_code& ec,
                                              CallOptions call = {});

    /// Replaces any value, or makes the node, and tells the old value. Without success, all tries
    /// or the time of the call were used up.
    [[nodiscard]] AtomicBytes try_set(std::string_view value, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicBytes try_set(std::string_view value, error_code& ec, CallOptions call = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    DistributedAtomicValue(detail::SameObject same, const DistributedAtomicValue& other)
        : AsyncAtomicValue(same, other), marking_(other.marking_) {}

private:
    friend struct detail::Access;
    friend class DistributedAtomicLong;

    detail::ProcessOwned<void> marking_; // removes the marker with its last object
};

} // namespace docent
