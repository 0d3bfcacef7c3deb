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

/// The asynchronous operations of DistributedAtomicLong. Cancellation and lifetime: as
/// AsyncAtomicValue.
/// @ingroup values
template <typename Base, typename Default> class AsyncAtomicLong : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Reads the number, as DistributedAtomicLong::get() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_get(Token&& token = Token{}) {
        return async_get(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_get(CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_get, token, this->core_, std::move(call));
    }

    /// Makes the node if it is missing, as DistributedAtomicLong::initialize() does.
    ///
    /// Completion signature: `void(error_code, bool)`.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::int64_t number, Token&& token = Token{}) {
        return async_initialize(number, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, bool)> Token = Default>
    auto async_initialize(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<bool>(&detail::initiate_number_initialize, token, this->core_, number, std::move(call));
    }

    /// Replaces the number, as DistributedAtomicLong::force_set() does.
    ///
    /// Completion signature: `void(error_code)`.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::int64_t number, Token&& token = Token{}) {
        return async_force_set(number, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code)> Token = Default>
    auto async_force_set(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<>(&detail::initiate_number_force_set, token, this->core_, number, std::move(call));
    }

    /// Replaces the number if it is `expected`, as DistributedAtomicLong::compare_and_set() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_compare_and_set(std::int64_t expected, std::int64_t number, Token&& token = Token{}) {
        return async_compare_and_set(expected, number, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_compare_and_set(std::int64_t expected, std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_compare_and_set, token, this->core_, expected, number,
                                              std::move(call));
    }

    /// Replaces the number and tells the old number, as DistributedAtomicLong::try_set() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_try_set(std::int64_t number, Token&& token = Token{}) {
        return async_try_set(number, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_try_set(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_try_set, token, this->core_, number, std::move(call));
    }

    /// Adds a number, as DistributedAtomicLong::add() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_add(std::int64_t number, Token&& token = Token{}) {
        return async_add(number, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_add(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_add, token, this->core_, number, std::move(call));
    }

    /// Subtracts a number, as DistributedAtomicLong::subtract() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_subtract(std::int64_t number, Token&& token = Token{}) {
        return async_subtract(number, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_subtract(std::int64_t number, CallOptions call, Token&& token = Token{}) {
        return detail::initiate<AtomicNumber>(&detail::initiate_number_subtract, token, this->core_, number, std::move(call));
    }

    /// Adds 1, as DistributedAtomicLong::increment() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_increment(Token&& token = Token{}) {
        return async_add(1, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_increment(CallOptions call, Token&& token = Token{}) {
        return async_add(1, std::move(call), std::forward<Token>(token));
    }

    /// Subtracts 1, as DistributedAtomicLong::decrement() does.
    ///
    /// Completion signature: `void(error_code, AtomicNumber)`.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_decrement(Token&& token = Token{}) {
        return async_subtract(1, CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, AtomicNumber)> Token = Default>
    auto async_decrement(CallOptions call, Token&& token = Token{}) {
        return async_subtract(1, std::move(call), std::forward<Token>(token));
    }
};
} // namespace detail

/// A 64-bit number that many processes change atomically. Uses the same node as Curator's
/// DistributedAtomicLong.
///
/// ```cpp
/// docent::DistributedAtomicLong jobs{client, "/counters/jobs"};
/// docent::AtomicNumber result = jobs.increment();
/// if (!result.succeeded) { /* all tries were used up: nothing has changed */ }
/// const std::int64_t number = result.after;
/// ```
///
/// The node holds eight bytes, big-endian; a node without data is 0. Each change is applied exactly
/// once, see DistributedAtomicValue, which also describes cost, lifetime and thread safety. Sums
/// wrap around as in Java: the smallest number follows the largest.
///
/// Each member that reads fails with `error::corrupt_data` if the node has data of fewer than eight
/// bytes.
/// @ingroup values
class DOCENT_EXPORT DistributedAtomicLong
    : public detail::BaseOf<DistributedAtomicLong, detail::AtomicCore, detail::AsyncAtomicLong> {
public:
    /// Makes an atomic number at `path`. Sends nothing. Errors: throws `error::invalid_path`.
    DistributedAtomicLong(Client& client, std::string_view path, AtomicOptions options = {});

    /// The path of the node.
    const std::string& path() const noexcept { return value_.path(); }

    /// Reads the number; 0 without a node. See DistributedAtomicValue::get().
    AtomicNumber get(CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    AtomicNumber get(error_code& ec, CallOptions call = {});

    /// Makes the node with this number; returns false if it exists.
    bool initialize(std::int64_t number, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    bool initialize(std::int64_t number, error_code& ec, CallOptions call = {});

    /// Replaces any number, or makes the node.
    void force_set(std::int64_t number, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    void force_set(std::int64_t number, error_code& ec, CallOptions call = {});

    /// Replaces the number if it is `expected`. A missing node is not the number 0.
    [[nodiscard]] AtomicNumber compare_and_set(std::int64_t expected, std::int64_t number, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicNumber compare_and_set(std::int64_t expected, std::int64_t number, error_code& ec,
                                               CallOptions call = {});

    /// Replaces any number, or makes the node, and tells the old number.
    [[nodiscard]] AtomicNumber try_set(std::int64_t number, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicNumber try_set(std::int64_t number, error_code& ec, CallOptions call = {});

    /// Adds to the number, or makes the node with it. Without success, all tries or the
    /// time of the call were used up.
    [[nodiscard]] AtomicNumber add(std::int64_t number, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicNumber add(std::int64_t number, error_code& ec, CallOptions call = {});
    /// Subtracts from the number, or from 0 without a node. Without success, all tries or
    /// the time of the call were used up.
    [[nodiscard]] AtomicNumber subtract(std::int64_t number, CallOptions call = {});
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicNumber subtract(std::int64_t number, error_code& ec, CallOptions call = {});
    /// Adds 1, see add().
    [[nodiscard]] AtomicNumber increment(CallOptions call = {}) { return add(1, std::move(call)); }
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicNumber increment(error_code& ec, CallOptions call = {}) { return add(1, ec, std::move(call)); }
    /// Subtracts 1, see subtract().
    [[nodiscard]] AtomicNumber decrement(CallOptions call = {}) { return subtract(1, std::move(call)); }
    /// As above, but sets `ec` instead of throwing.
    [[nodiscard]] AtomicNumber decrement(error_code& ec, CallOptions call = {}) { return subtract(1, ec, std::move(call)); }

protected:
    /// For `as_default_on()`: another object for the same state.
    DistributedAtomicLong(detail::SameObject same, const DistributedAtomicLong& other)
        : AsyncAtomicLong(same, other), value_(same, other.value_) {}

private:
    friend struct detail::Access;

    DistributedAtomicValue value_;
};

} // namespace docent
