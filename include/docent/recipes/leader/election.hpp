// SPDX-License-Identifier: Apache-2.0
#pragma once

// What LeaderLatch and LeaderSelector have in common.

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/lease.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace docent {

/// The lead, for as long as it lasts: stop token, fencing token, validity; a guard for transactions. Whoever has it shares it
/// with the latch or the selector, which alone gives it up. It may outlive that, and is `released` then.
using Leadership = std::shared_ptr<const Lease>;

namespace detail {

/// Of all that stand for election: `core_` is what initiate_participants() and initiate_leader() take.
template <typename Base, typename Default> class AsyncElection : public Base {
public:
    using Base::Base;
    AsyncElection() = default;
    explicit AsyncElection(Base&& base) : Base(SameObject{}, base) {}

    /// Completion signature: `void(error_code, std::vector<Participant>)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code, std::vector<Participant>)> Token = Default>
    auto async_participants(Token&& token = Token{}) const {
        return async_participants(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, std::vector<Participant>)> Token = Default>
    auto async_participants(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<std::vector<Participant>>(
            [](const auto& core, auto... arguments) { initiate_participants(core, std::move(arguments)...); }, token,
            this->core_, std::move(call));
    }

    /// Completion signature: `void(error_code, std::optional<Participant>)`. Cancellation: `terminal`, `partial`, `total`.
    template <asio::completion_token_for<void(error_code, std::optional<Participant>)> Token = Default>
    auto async_leader(Token&& token = Token{}) const {
        return async_leader(CallOptions{}, std::forward<Token>(token));
    }
    template <asio::completion_token_for<void(error_code, std::optional<Participant>)> Token = Default>
    auto async_leader(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<std::optional<Participant>>(
            [](const auto& core, auto... arguments) { initiate_leader(core, std::move(arguments)...); }, token, this->core_,
            std::move(call));
    }
};

} // namespace detail
} // namespace docent
