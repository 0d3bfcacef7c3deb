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

/// A SharedValue that is a 32-bit number: Curator's SharedCount, on the same node (four bytes, big-endian). Where this says
/// nothing, it is as SharedValue.
///
/// Errors of every member that shows the number: `error::corrupt_data`, if the node does not have four bytes.
class DOCENT_EXPORT SharedCount {
public:
    /// Errors: throws `error::invalid_path`.
    SharedCount(Client& client, std::string_view path, std::int32_t seed = 0);

    const std::string& path() const noexcept { return value_.path(); }

    void start(CallOptions call = {}) { value_.start(std::move(call)); }
    void start(error_code& ec, CallOptions call = {}) { value_.start(ec, std::move(call)); }
    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = asio::deferred_t> auto async_start(Token&& token = Token{}) {
        return value_.async_start(std::forward<Token>(token));
    }

    VersionedCount get() const;
    VersionedCount get(error_code& ec) const;

    VersionedCount set(std::int32_t count, CallOptions call = {});
    VersionedCount set(std::int32_t count, error_code& ec, CallOptions call = {});

    bool try_set(const VersionedCount& expected, std::int32_t count, CallOptions call = {});
    bool try_set(const VersionedCount& expected, std::int32_t count, error_code& ec, CallOptions call = {});
    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = asio::deferred_t>
    auto async_try_set(const VersionedCount& expected, std::int32_t count, Token&& token = Token{}) {
        return value_.async_try_set({expected.version, {}}, encode(count), std::forward<Token>(token));
    }

    /// Data that is not a number is not told of.
    [[nodiscard]] Subscription listen(std::function<void(const VersionedCount&)> listener, asio::any_io_executor executor = {});

    /// For recipes.
    const std::shared_ptr<detail::SharedValueCore>& core() const noexcept { return value_.core(); }

private:
    static std::string encode(std::int32_t count);

    SharedValue value_;
};

} // namespace docent
