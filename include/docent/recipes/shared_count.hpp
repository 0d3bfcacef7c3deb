// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/shared_value.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace docent {

/// A number, and how often it was changed since its node was made; -1 before it was read.
struct VersionedCount {
    std::int32_t version = -1;
    std::int32_t count = 0;
    friend bool operator==(const VersionedCount&, const VersionedCount&) = default;
};

namespace detail {
DOCENT_EXPORT void initiate_count_set(const std::shared_ptr<SharedValueCore>&, std::int32_t count, CallOptions,
                                      Handler<VersionedCount>);
DOCENT_EXPORT void initiate_count_try_set(const std::shared_ptr<SharedValueCore>&, std::int32_t version, std::int32_t count,
                                          CallOptions, Handler<bool>);

template <typename Base, typename Default> class AsyncSharedCount : public AsyncFollowing<Base, Default> {
public:
    using AsyncFollowing<Base, Default>::AsyncFollowing;
    AsyncSharedCount() = default;

    /// Completion signature: `void(error_code, VersionedCount)`.
    template <asio::completion_token_for<void(error_code, VersionedCount)> Token = Default>
    auto async_set(std::int32_t count, Token&& token = Token{}) {
        return async_set(count, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, VersionedCount)> Token = Default>
    auto async_set(std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<VersionedCount>(&detail::initiate_count_set, token, this->core_, count, std::move(call));
    }

    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedCount& expected, std::int32_t count, Token&& token = Token{}) {
        return async_try_set(expected, count, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_try_set(const VersionedCount& expected, std::int32_t count, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_count_try_set, token, this->core_, expected.version, count,
                                      std::move(call));
    }
};
} // namespace detail

/// A SharedValue that is a 32-bit number: Curator's SharedCount, on the same node (four bytes, big-endian). Where this says
/// nothing, it is as SharedValue.
///
/// Errors of every member that shows the number: `error::corrupt_data`, if the node does not have four bytes.
class DOCENT_EXPORT SharedCount : public detail::AsyncSharedCount<detail::Holder<detail::SharedValueCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`.
    SharedCount(Client& client, std::string_view path, std::int32_t seed = 0);

    const std::string& path() const noexcept { return value_.path(); }

    void start(CallOptions call = {}) { value_.start(std::move(call)); }
    void start(error_code& ec, CallOptions call = {}) { value_.start(ec, std::move(call)); }

    VersionedCount get() const;
    VersionedCount get(error_code& ec) const;

    VersionedCount set(std::int32_t count, CallOptions call = {});
    VersionedCount set(std::int32_t count, error_code& ec, CallOptions call = {});

    bool try_set(const VersionedCount& expected, std::int32_t count, CallOptions call = {});
    bool try_set(const VersionedCount& expected, std::int32_t count, error_code& ec, CallOptions call = {});

    /// Data that is not a number is not told of.
    [[nodiscard]] Subscription listen(std::function<void(const VersionedCount&)> listener, asio::any_io_executor executor = {});

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncSharedCount<SharedCount, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    SharedCount(detail::SameObject, const SharedCount& other);

private:
    friend struct detail::Access;

    SharedValue value_;
};

} // namespace docent
