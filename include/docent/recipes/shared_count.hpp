// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/shared_value.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace docent {

/// A number with its version: how often it was changed since its node was made.
///
/// ```cpp
/// docent::SharedCount limit{client, "/shared/limit", 10};
/// limit.start();
/// docent::VersionedCount seen = limit.get();
/// bool changed = limit.try_set(seen, seen.count + 1);
/// ```
/// @ingroup values
struct VersionedCount {
    /// The version; -1 before the number was read.
    std::int32_t version = -1;
    /// The number.
    std::int32_t count = 0;
    /// Whether all members are equal.
    friend bool operator==(const VersionedCount&, const VersionedCount&) = default;
};

namespace detail {
DOCENT_EXPORT void initiate_count_set(const std::shared_ptr<SharedValueCore>&, std::int32_t count, CallOptions,
                                      Handler<VersionedCount>);
DOCENT_EXPORT void initiate_count_try_set(const std::shared_ptr<SharedValueCore>&, std::int32_t version, std::int32_t count,
                                          CallOptions, Handler<bool>);

/// The asynchronous operations of SharedCount.
/// @ingroup values
template <typename Base, typename Default> class AsyncSharedCount : public AsyncFollowing<Base, Default> {
public:
    using AsyncFollowing<Base, Default>::AsyncFollowing;

    /// Replaces the number, as SharedCount::set() does.
    ///
    /// Completion signature: `void(error_code, VersionedCount)`. Cancellation: as described at
    /// Client.
    template <asio::completion_token_for<void(error_code, VersionedCount)> Token = Default>
    auto async_set(std::int32_t count, Token&& token = Token{}) {
        return async_set(count, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, VersionedCount)> Token = Default>
    auto async_set(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<VersionedCount>(&detail::initiate_count_set, token, this->core_, count, std::move(call));
    }

    /// Replaces the number if it has not changed, as SharedCount::try_set() does.
    ///
    /// Completion signature: `void(error_code, bool)`. Cancellation: as described at Client.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedCount& expected, std::int32_t count, Token&& token = Token{}) {
        return async_try_set(expected, count, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedCount& expected, std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_count_try_set, token, this->core_, expected.version, count,
                                      std::move(call));
    }
};
} // namespace detail

/// A 32-bit number that many processes share and read from memory. Uses the same node as Curator's
/// SharedCount.
///
/// ```cpp
/// docent::SharedCount limit{client, "/shared/limit", 10};
/// limit.start();
/// const std::int32_t now = limit.get().count; // from memory
/// limit.set(now + 1);
/// ```
///
/// The node holds four bytes, big-endian. Otherwise everything is as with SharedValue. Each member
/// that returns the number fails with `error::corrupt_data` if the node does not have four bytes.
/// @ingroup values
class DOCENT_EXPORT SharedCount : public detail::BaseOf<SharedCount, detail::SharedValueCore, detail::AsyncSharedCount> {
public:
    /// Makes a shared count at `path`. Sends nothing. start() makes a missing node with the number
    /// `seed`.
    ///
    /// Errors: throws `error::invalid_path`.
    SharedCount(Client& client, std::string_view path, std::int32_t seed = 0);

    /// The path of the node.
    const std::string& path() const noexcept { return value_.path(); }

    /// Makes the node if it is missing, reads it, and follows it from now on, see
    /// SharedValue::start().
    void start(CallOptions call = {}) { value_.start(std::move(call)); }
    /// As above, but sets `ec` instead of throwing.
    void start(error_code& ec, CallOptions call = {}) { value_.start(ec, std::move(call)); }

    /// The last known number; the seed before start(). No network.
    VersionedCount get() const;
    /// As above, but sets `ec` instead of throwing.
    VersionedCount get(error_code& ec) const;

    /// Replaces the number and returns it with its new version, see SharedValue::set().
    VersionedCount set(std::int32_t count, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    VersionedCount set(std::int32_t count, error_code& ec, CallOptions call = {});

    /// Replaces the number if it still has the version of `expected`; otherwise returns false, see
    /// SharedValue::try_set().
    bool try_set(const VersionedCount& expected, std::int32_t count, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    bool try_set(const VersionedCount& expected, std::int32_t count, error_code& ec, CallOptions call = {});

    /// Calls `listener` with each new number from now on, see SharedValue::listen(). Data that is
    /// not a number is not reported.
    [[nodiscard]] Subscription listen(std::function<void(const VersionedCount&)> listener, asio::any_io_executor executor = {});

protected:
    /// For `as_default_on()`: another object for the same state.
    SharedCount(detail::SameObject same, const SharedCount& other)
        : AsyncSharedCount(same, other), value_(same, other.value_) {}

private:
    friend struct detail::Access;

    SharedValue value_;
};

} // namespace docent
