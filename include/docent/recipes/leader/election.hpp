// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parts that LeaderLatch and LeaderSelector share.

#include <docent/call_options.hpp>
#include <docent/detail/rebind.hpp>
#include <docent/recipes/inspection.hpp>
#include <docent/recipes/lease.hpp>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace docent {

/// A leadership: the lease of the leader, with its stop token, its fencing token and its validity.
///
/// Copies share the lease. Only the latch or selector releases it. A copy may outlive the
/// leadership; its state is then `released`, `lost` or `expired`. Use it as a guard of
/// transactions, see Transaction::guard().
/// @ingroup elections
using Leadership = std::shared_ptr<const Lease>;

namespace detail {

/// The asynchronous operations that LeaderLatch and LeaderSelector share.
///
/// Lifetime: the object may be destroyed before an operation completes.
/// @ingroup elections
template <typename Base, typename Default> class AsyncElection : public AsyncOf<Base> {
public:
    using AsyncOf<Base>::AsyncOf;

    /// Reads all participants, as participants() does.
    ///
    /// Completion signature: `void(error_code, std::vector<Participant>)`. Cancellation:
    /// `terminal`, `partial` and `total`.
    template <asio::completion_token_for<void(error_code, std::vector<Participant>)> Token = Default>
    auto async_participants(Token&& token = Token{}) const {
        return async_participants(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, std::vector<Participant>)> Token = Default>
    auto async_participants(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<std::vector<Participant>>(
            [](const auto& core, auto... arguments) { initiate_participants(core, std::move(arguments)...); }, token,
            this->core_, std::move(call));
    }

    /// Reads the first participant, as leader() does.
    ///
    /// Completion signature: `void(error_code, std::optional<Participant>)`. Cancellation:
    /// `terminal`, `partial` and `total`.
    template <asio::completion_token_for<void(error_code, std::optional<Participant>)> Token = Default>
    auto async_leader(Token&& token = Token{}) const {
        return async_leader(CallOptions{}, std::forward<Token>(token));
    }
    /// As above, with options for this call.
    template <asio::completion_token_for<void(error_code, std::optional<Participant>)> Token = Default>
    auto async_leader(CallOptions call, Token&& token = Token{}) const {
        return detail::initiate<std::optional<Participant>>(
            [](const auto& core, auto... arguments) { initiate_leader(core, std::move(arguments)...); }, token, this->core_,
            std::move(call));
    }
};

} // namespace detail
} // namespace docent
