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

/// A value, and how often it was changed since its node was made; -1 before it was read.
struct VersionedValue {
    std::int32_t version = -1;
    std::string value = {};
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

/// Of all that follows a node.
template <typename Base, typename Default> class AsyncFollowing : public Base {
public:
    using Base::Base;
    AsyncFollowing() = default;
    explicit AsyncFollowing(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature: `void(error_code)`. Cancellation of all: see Client.
    template <asio::completion_token_for<void(error_code)> Token = Default> auto async_start(Token&& token = Token{}) {
        return async_start(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_start(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_following, token, this->core_, std::move(call));
    }
};

template <typename Base, typename Default> class AsyncSharedValue : public AsyncFollowing<Base, Default> {
public:
    using AsyncFollowing<Base, Default>::AsyncFollowing;
    AsyncSharedValue() = default;

    /// Completion signature: `void(error_code, VersionedValue)`.
    template <asio::completion_token_for<void(error_code, VersionedValue)> Token = Default>
    auto async_set(std::string value, Token&& token = Token{}) {
        return async_set(std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, VersionedValue)> Token = Default>
    auto async_set(std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<VersionedValue>(&detail::initiate_shared_set, token, this->core_, std::move(value),
                                                std::move(call));
    }

    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedValue& expected, std::string value, Token&& token = Token{}) {
        return async_try_set(expected, std::move(value), CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedValue& expected, std::string value, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_shared_try_set, token, this->core_, expected.version, std::move(value),
                                      std::move(call));
    }
};
} // namespace detail

/// One value that many processes share and each knows: Curator's SharedValue, on the same node. Reads are answered from memory,
/// which follows the node, through disconnections and sessions; what it shows may be older than what another process has just
/// written.
///
/// A node that is deleted leaves the last value in memory; it is followed again when somebody makes it. The data is compressed
/// as `ClientConfig::compression` says.
///
/// Lifetime: following ends with this object. Thread safety: all members from any thread.
class DOCENT_EXPORT SharedValue : public detail::AsyncSharedValue<detail::Holder<detail::SharedValueCore>, asio::deferred_t> {
public:
    /// `seed` is what the node gets if it is missing at the start. Errors: throws `error::invalid_path`. Nothing is sent.
    SharedValue(Client& client, std::string_view path, std::string_view seed = {});
    ~SharedValue();
    SharedValue(const SharedValue&) = delete;
    SharedValue& operator=(const SharedValue&) = delete;

    const std::string& path() const noexcept;

    /// Makes the node if it is missing (parents as `ClientConfig::own_parents`), reads it and follows it from now on. May be
    /// called again, after an error too. Errors: those of Client::create and Client::get.
    void start(CallOptions call = {});
    void start(error_code& ec, CallOptions call = {});

    /// The last value known; the seed before start(). No network.
    VersionedValue get() const;

    /// Replaces the value, whatever it is. Returns it with its version. Errors: those of Client::set.
    VersionedValue set(std::string_view value, CallOptions call = {});
    VersionedValue set(std::string_view value, error_code& ec, CallOptions call = {});

    /// Replaces the value if it still is the one that get() has returned. False if somebody was faster: get() then has the
    /// newer one. Errors: those of Client::set; one that equals `condition::outcome_unknown` if a reply was lost and the
    /// version is another one now: this write, or somebody else's.
    bool try_set(const VersionedValue& expected, std::string_view value, CallOptions call = {});
    bool try_set(const VersionedValue& expected, std::string_view value, error_code& ec, CallOptions call = {});

    /// Calls `listener` with each new value from now on, in order, one at a time, on `executor`, or on the client's if it
    /// is empty. The value that start() finds is no change, and is not told: get() has it then. Values between two reads are
    /// not seen.
    [[nodiscard]] Subscription listen(std::function<void(const VersionedValue&)> listener, asio::any_io_executor executor = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncSharedValue<SharedValue, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    SharedValue(detail::SameObject, const SharedValue& other);

private:
    friend struct detail::Access;
    friend class SharedCount;

    detail::ProcessOwned<void> following_; // ends with the last of those that are the same value
};

} // namespace docent
