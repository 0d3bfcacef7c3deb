// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"

#include <docent/session_event.hpp>

#include <chrono>
#include <cstdint>
#include <optional>

namespace docent::detail {

/// Carried out in this order. The call of the listener is the last action, because it may throw.
struct CircuitBreakerActions {
    bool stop_looking = false;                                // on_look() is not needed any more
    std::optional<std::chrono::milliseconds> look_after = {}; // call on_look() after this pause
    std::optional<SessionEvent> tell = {};                    // call the listener
    friend bool operator==(const CircuitBreakerActions&, const CircuitBreakerActions&) = default;
};

/// Decides which session events a listener behind a circuit breaker gets, and when. Pure.
class CircuitBreakerMachine {
public:
    explicit CircuitBreakerMachine(RetryPolicy policy) : policy_(policy) {}

    CircuitBreakerActions on_event(const SessionEvent& event, steady_clock::time_point now, std::uint64_t random);
    /// The pause is over.
    CircuitBreakerActions on_look(steady_clock::time_point now, std::uint64_t random);

private:
    enum class State {
        closed, // events pass
        open,   // only a loss passes
        ended,  // the client was closed
    };

    RetryPolicy policy_;
    State state_ = State::closed;
    std::optional<RetryBudget> looks_; // since the circuit opened
    SessionEvent last_;                // the last event
    SessionEvent told_;                // the last event that the listener got
};

} // namespace docent::detail
