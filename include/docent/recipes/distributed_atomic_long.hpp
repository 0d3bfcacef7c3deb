// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <docent/export.hpp>
#include <docent/recipes/distributed_atomic_value.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace docent {

namespace detail {
DOCENT_EXPORT void initiate_number_get(const std::shared_ptr<AtomicCore>&, CallOptions, Handler<AtomicNumber>);
DOCENT_EXPORT void initiate_number_initialize(const std::shared_ptr<AtomicCore>&, std::int64_t, CallOptions, Handler<bool>);
DOCENT_EXPORT void initiate_number_force_set(const std::shared_ptr<AtomicCore>&, std::int64_t, CallOptions, Handler<>);
DOCENT_EXPORT void initiate_number_compare_and_set(const std::shared_ptr<AtomicCore>&, std::int64_t expected, std::int64_t,
                                                   CallOptions, Handler<AtomicNumber>);
DOCENT_EXPORT void initiate_number_try_set(const std::shared_ptr<AtomicCore>&, std::int64_t, CallOptions,
                                           Handler<AtomicNumber>);
DOCENT_EXPORT void initiate_number_add(const std::shared_ptr<AtomicCore>&, std::int64_t, CallOptions, Handler<AtomicNumber>);
DOCENT_EXPORT void initiate_number_subtract(const std::shared_ptr<AtomicCore>&, std::int64_t, CallOptions,
                                            Handler<AtomicNumber>);

template <typename Base, typename Default> class AsyncAtomicLong : public Base {
public:
    using Base::Base;
    AsyncAtomicLong() = default;
    explicit AsyncAtomicLong(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature: `void(error_code, AtomicNumber)`, where nothing else is said. Cancellation of all: see
    /// DistributedAtomicValue.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_get(Token&& token = Token{}) {
        return async_get(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_get(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_get, token, this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::int64_t number, Token&& token = Token{}) {
        return async_initialize(number, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_number_initialize, token, this->core_, number, std::move(call));
    }

    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::int64_t number, Token&& token = Token{}) {
        return async_force_set(number, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_number_force_set, token, this->core_, number, std::move(call));
    }

    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_compare_and_set(std::int64_t expected, std::int64_t number, Token&& token = Token{}) {
        return async_compare_and_set(expected, number, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_compare_and_set(std::int64_t expected, std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_compare_and_set, token, this->core_, expected, number,
                                              std::move(call));
    }

    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_try_set(std::int64_t number, Token&& token = Token{}) {
        return async_try_set(number, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_try_set(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_try_set, token, this->core_, number, std::move(call));
    }

    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_add(std::int64_t number, Token&& token = Token{}) {
        return async_add(number, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_add(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_add, token, this->core_, number, std::move(call));
    }

    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_subtract(std::int64_t number, Token&& token = Token{}) {
        return async_subtract(number, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_subtract(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_subtract, token, this->core_, number, std::move(call));
    }

    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_increment(Token&& token = Token{}) {
        return async_add(1, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_increment(CallOptions call, Token&& token = Token{}) {
        return async_add(1, std::move(call), std::forward<Token>(token));
    }

    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_decrement(Token&& token = Token{}) {
        return async_subtract(1, CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_decrement(CallOptions call, Token&& token = Token{}) {
        return async_subtract(1, std::move(call), std::forward<Token>(token));
    }
};
} // namespace detail

/// A DistributedAtomicValue that is a 64-bit number: Curator's DistributedAtomicLong, on the same node (eight bytes,
/// big-endian; a node without data is 0). Where this says nothing, it is as DistributedAtomicValue, exactly once too.
///
/// Errors of every member that reads: `error::corrupt_data`, if the node has fewer than eight bytes. Beyond the largest number
/// comes the smallest, as in Java.
class DOCENT_EXPORT DistributedAtomicLong
    : public detail::AsyncAtomicLong<detail::Holder<detail::AtomicCore>, asio::deferred_t> {
public:
    /// Errors: throws `error::invalid_path`.
    DistributedAtomicLong(Client& client, std::string_view path, AtomicOptions options = {});

    const std::string& path() const noexcept { return value_.path(); }

    AtomicNumber get(CallOptions call = {});
    AtomicNumber get(error_code& ec, CallOptions call = {});

    bool initialize(std::int64_t number, CallOptions call = {});
    bool initialize(std::int64_t number, error_code& ec, CallOptions call = {});

    void force_set(std::int64_t number, CallOptions call = {});
    void force_set(std::int64_t number, error_code& ec, CallOptions call = {});

    [[nodiscard]] AtomicNumber compare_and_set(std::int64_t expected, std::int64_t number, CallOptions call = {});
    [[nodiscard]] AtomicNumber compare_and_set(std::int64_t expected, std::int64_t number, error_code& ec,
                                               CallOptions call = {});

    [[nodiscard]] AtomicNumber try_set(std::int64_t number, CallOptions call = {});
    [[nodiscard]] AtomicNumber try_set(std::int64_t number, error_code& ec, CallOptions call = {});

    /// Adds to what is there, or makes the node. Fails if all tries are used up.
    [[nodiscard]] AtomicNumber add(std::int64_t number, CallOptions call = {});
    [[nodiscard]] AtomicNumber add(std::int64_t number, error_code& ec, CallOptions call = {});
    [[nodiscard]] AtomicNumber subtract(std::int64_t number, CallOptions call = {});
    [[nodiscard]] AtomicNumber subtract(std::int64_t number, error_code& ec, CallOptions call = {});
    [[nodiscard]] AtomicNumber increment(CallOptions call = {}) { return add(1, std::move(call)); }
    [[nodiscard]] AtomicNumber increment(error_code& ec, CallOptions call = {}) { return add(1, ec, std::move(call)); }
    [[nodiscard]] AtomicNumber decrement(CallOptions call = {}) { return subtract(1, std::move(call)); }
    [[nodiscard]] AtomicNumber decrement(error_code& ec, CallOptions call = {}) { return subtract(1, ec, std::move(call)); }

    /// For `as_default_on()`: see Client.
    template <detail::ReboundExecutor Executor> struct rebind_executor {
        using other = detail::Rebound<detail::AsyncAtomicLong<DistributedAtomicLong, detail::DefaultToken<Executor>>, Executor>;
    };

protected:
    DistributedAtomicLong(detail::SameObject, const DistributedAtomicLong& other);

private:
    friend struct detail::Access;

    DistributedAtomicValue value_;
};

} // namespace docent
