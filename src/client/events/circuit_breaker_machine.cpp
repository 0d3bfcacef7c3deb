// SPDX-License-Identifier: Apache-2.0
#include "client/events/circuit_breaker_machine.hpp"

namespace docent::detail {
namespace {

bool is_broken(SessionState state) {
    return state == SessionState::suspended || state == SessionState::lost;
}

} // namespace

CircuitBreakerActions CircuitBreakerMachine::on_event(const SessionEvent& event, steady_clock::time_point now,
                                                      std::uint64_t random) {
    if (state_ == State::ended) return {};
    last_ = event;
    if (event.state == SessionState::closed) return end(event);
    return state_ == State::open ? keep_back(event) : pass(event, now, random);
}

CircuitBreakerActions CircuitBreakerMachine::on_look(steady_clock::time_point now, std::uint64_t random) {
    if (state_ != State::open) return {};
    if (last_.state != SessionState::connected) {
        if (const auto pause = looks_->next({}, now, random)) return {LookAfter{*pause}};
    }
    state_ = State::closed;
    if (last_ == told_) return {};
    return {tell(last_)};
}

CircuitBreakerActions CircuitBreakerMachine::pass(const SessionEvent& event, steady_clock::time_point now,
                                                  std::uint64_t random) {
    CircuitBreakerActions actions;
    if (is_broken(event.state)) {
        looks_.emplace(policy_, now);
        if (const auto pause = looks_->next({}, now, random)) {
            state_ = State::open;
            actions.emplace_back(LookAfter{*pause});
        }
    }
    actions.push_back(tell(event));
    return actions;
}

CircuitBreakerActions CircuitBreakerMachine::keep_back(const SessionEvent& event) {
    if (!is_untold_loss(event)) return {};
    return {tell(event)};
}

CircuitBreakerActions CircuitBreakerMachine::end(const SessionEvent& event) {
    CircuitBreakerActions actions;
    if (state_ == State::open) actions.emplace_back(StopLooking{});
    state_ = State::ended;
    actions.push_back(tell(event));
    return actions;
}

CircuitBreakerAction CircuitBreakerMachine::tell(const SessionEvent& event) {
    told_ = event;
    return TellListener{event};
}

bool CircuitBreakerMachine::is_untold_loss(const SessionEvent& event) const {
    const bool is_told = told_.state == SessionState::lost && told_.epoch == event.epoch;
    return event.state == SessionState::lost && !is_told;
}

} // namespace docent::detail
