// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"

#include <docent/session_event.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace docent::detail {

/// Call the listener.
struct TellListener {
    SessionEvent event;
    friend bool operator==(const TellListener&, const TellListener&) = default;
};
/// Call on_look() after this pause.
struct LookAfter {
    std::chrono::milliseconds pause{0};
    friend bool operator==(const LookAfter&, const LookAfter&) = default;
};
/// on_look() is not needed any more.
struct StopLooking {
    friend bool operator==(const StopLooking&, const StopLooking&) = default;
};
using CircuitBreakerAction = std::variant<TellListener, LookAfter, StopLooking>;
using CircuitBreakerActions = std::vector<CircuitBreakerAction>;

/// Decides which session events a listener behind a circuit breaker gets, and when. Pure. The call of the listener is the last
/// action, because it may throw.
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

    CircuitBreakerAction tell(const SessionEvent& event);

    RetryPolicy policy_;
    State state_ = State::closed;
    std::optional<RetryBudget> looks_; // since the circuit opened
    SessionEvent last_;                // the last event
    SessionEvent told_;                // the last event that the listener got
};

} // namespace docent::detail
