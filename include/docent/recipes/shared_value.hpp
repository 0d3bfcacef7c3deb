// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/export.hpp>
#include <docent/session_events.hpp>

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

class Client;

/// A value with its version: how often it was changed since its node was made.
///
/// ```cpp
/// docent::SharedValue limits{client, "/shared/limits", "100"};
/// limits.start();
/// docent::VersionedValue seen = limits.get();
/// bool changed = limits.try_set(seen, "200");
/// ```
/// @ingroup values
struct VersionedValue {
    /// The version; -1 before the value was read.
    std::int32_t version = -1;
    /// The value.
    std::string value = {};
    /// Whether all members are equal.
    friend bool operator==(const VersionedValue&, const VersionedValue&) = default;
};

namespace detail {
class SharedValueCore;
DOCENT_EXPORT void initiate_following(const std::shared_ptr<SharedValueCore>&, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_shared_set(const std::shared_ptr<SharedValueCore>&, std::string value, CallOptions,
                                       Handler<VersionedValue>);
DOCENT_EXPORT void initiate_shared_try_set(const std::shared_ptr<SharedValueCore>&, std::int32_t version, std::string value,
                                           CallOptions, Handler<bool>);
DOCENT_EXPORT asio::any_io_executor executor_of(const SharedValueCore&);

/// The asynchronous operation that SharedValue and SharedCount share.
///
/// Lifetime: the object may be destroyed before completion.
/// @ingroup values
template <typename Base, typename Default> class AsyncFollowing : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Reads the node and follows it from now on, as start() does.
    ///
    /// Completion signature: `void(error_code)`. Cancellation: as described at Client.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_start(Token&& token = Token{}) {
        return async_start(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_start(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_following, token, this->core_, std::move(call));
    }
};

/// The asynchronous operations of SharedValue.
/// @ingroup values
template <typename Base, typename Default> class AsyncSharedValue : public AsyncFollowing<Base, Default> {
public:
    using AsyncFollowing<Base, Default>::AsyncFollowing;

    /// Replaces the value, as SharedValue::set() does.
    ///
    /// Completion signature: `void(error_code, VersionedValue)`. Cancellation: as described at
    /// Client.
    template <asio::completion_token_for<void(error_code, VersionedValue)> Token = Default>
    auto async_set(std::string value, Token&& token = Token{}) {
        return async_set(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, VersionedValue)> Token = Default>
    auto async_set(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<VersionedValue>(&detail::initiate_shared_set, token, this->core_, std::move(value),
                                                std::move(call));
    }

    /// Replaces the value if it has not changed, as SharedValue::try_set() does.
    ///
    /// Completion signature: `void(error_code, bool)`. Cancellation: as described at Client.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedValue& expected, std::string value, Token&& token = Token{}) {
        return async_try_set(expected, std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedValue& expected, std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_shared_try_set, token, this->core_, expected.version, std::move(value),
                                      std::move(call));
    }
};
} // namespace detail

/// A value that many processes share and read from memory. Uses the same node as Curator's
/// SharedValue.
///
/// ```cpp
/// docent::SharedValue level{client, "/shared/log-level", "info"};
/// level.start();
/// const std::string now = level.get().value; // from memory
/// level.set("debug");
/// ```
///
/// After start() the object follows the node, through disconnections and sessions. get() may be
/// older than a value that another process has just written. If the node is deleted, the last value
/// remains in memory; the object follows the node again when it is made again.
///
/// The data is compressed as `ClientConfig::compression` says.
///
/// Lifetime: the object stops following when it is destroyed. Thread safety: all members may be
/// called from any thread.
/// @ingroup values
class DOCENT_EXPORT SharedValue : public detail::BaseOf<SharedValue, detail::SharedValueCore, detail::AsyncSharedValue> {
public:
    /// Makes a shared value at `path`. Sends nothing. start() makes a missing node with the value
    /// `seed`.
    ///
    /// Errors: throws `error::invalid_path`.
    SharedValue(Client& client, std::string_view path, std::string_view seed = {});
    /// Stops following the node, without waiting.
    ~SharedValue() = default;
    SharedValue(const SharedValue&) = delete;            ///< Not copyable.
    SharedValue& operator=(const SharedValue&) = delete; ///< Not copyable.

    /// The path of the node.
    const std::string& path() const noexcept;

    /// Makes the node if it is missing, reads it, and follows it from now on.
    ///
    /// May be called again, also after an error. Parents are made as `ClientConfig::own_parents`
    /// says. Errors: as Client::create() and Client::get(); `server_error::no_auth` also if the node
    /// exists and the client may not CREATE beside it.
    void start(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec, CallOptions call = {});

    /// The last known value; the seed before start(). No network.
    VersionedValue get() const;

    /// Replaces the value and returns it with its new version.
    ///
    /// If another client was faster in the meantime, the newer value is returned. Errors: as
    /// Client::set().
    VersionedValue set(std::string_view value, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    VersionedValue set(std::string_view value, error_code& ec, CallOptions call = {});

    /// Replaces the value if it still has the version of `expected`; otherwise returns false, and
    /// get() has the newer value, if start() has succeeded and the value could be read.
    ///
    /// Errors: as Client::set(). If a reply was lost and the version has changed, either this call
    /// or another client wrote the value. Then the call fails with an error that equals
    /// `condition::outcome_unknown`.
    bool try_set(const VersionedValue& expected, std::string_view value, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    bool try_set(const VersionedValue& expected, std::string_view value, error_code& ec, CallOptions call = {});

    /// Calls `listener` with each new value from now on, in order, one at a time.
    ///
    /// It runs on `executor`; without `executor` on the client's executor. The value that start()
    /// finds is not reported. Values between two reads are not seen. The Subscription ends the
    /// listening when it is destroyed.
    [[nodiscard]] Subscription listen(std::function<void(const VersionedValue&)> listener, asio::any_io_executor executor = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    SharedValue(detail::SameObject same, const SharedValue& other)
        : AsyncSharedValue(same, other), following_(other.following_) {}

private:
    friend struct detail::Access;
    friend class SharedCount;

    detail::ProcessOwned<void> following_; // stops following with its last object
};

} // namespace docent
