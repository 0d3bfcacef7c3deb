// SPDX-License-Identifier: Apache-2.0

#include "client/events/circuit_breaker.hpp"

#include "base/while_alive.hpp"

#include <docent/circuit_breaker.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <memory>
#include <random>
#include <utility>

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
    CircuitBreakerActions actions;
    if (event.state == SessionState::closed) {
        actions.stop_looking = state_ == State::open;
        state_ = State::ended;
    } else if (state_ == State::open) {
        const bool is_told = told_.state == SessionState::lost && told_.epoch == event.epoch;
        if (event.state != SessionState::lost || is_told) return {};
    } else if (is_broken(event.state)) {
        looks_.emplace(policy_, now);
        actions.look_after = looks_->next({}, now, random);
        if (actions.look_after) state_ = State::open;
    }
    actions.tell = told_ = event;
    return actions;
}

CircuitBreakerActions CircuitBreakerMachine::on_look(steady_clock::time_point now, std::uint64_t random) {
    if (state_ != State::open) return {};
    if (last_.state != SessionState::connected) {
        if (const auto pause = looks_->next({}, now, random)) return {.look_after = pause};
    }
    state_ = State::closed;
    if (last_ == told_) return {};
    return {.tell = told_ = last_};
}

} // namespace docent::detail

namespace docent {

namespace detail {
namespace {

/// Carries out the actions of the machine. Handlers own it only while they run. The last owner cancels the timer.
class CircuitBreaker : public std::enable_shared_from_this<CircuitBreaker> {
public:
    CircuitBreaker(const asio::any_io_executor& executor, RetryPolicy policy, std::function<void(const SessionEvent&)> listener)
        : strand_(asio::make_strand(executor)), timer_(strand_), machine_(policy), listener_(std::move(listener)),
          random_(std::random_device{}()) {}

    void hear(const SessionEvent& event) {
        asio::post(strand_,
                   while_alive(weak_from_this(), [this, event] { perform(machine_.on_event(event, now(), random_())); }));
    }

private:
    static steady_clock::time_point now() { return steady_clock::now(); }

    void perform(const CircuitBreakerActions& actions) {
        if (actions.stop_looking) timer_.cancel();
        if (actions.look_after) look_after(*actions.look_after);
        if (actions.tell) listener_(*actions.tell);
    }
    void look_after(std::chrono::milliseconds pause) {
        timer_.expires_at(later(now(), pause));
        timer_.async_wait(while_alive(weak_from_this(), [this](const error_code& ec) {
            if (!ec) perform(machine_.on_look(now(), random_()));
        }));
    }

    asio::strand<asio::any_io_executor> strand_; // all members below are used on it
    asio::steady_timer timer_;
    CircuitBreakerMachine machine_;
    std::function<void(const SessionEvent&)> listener_;
    std::mt19937_64 random_;
};

} // namespace
} // namespace detail

std::function<void(const SessionEvent&)> circuit_breaking(asio::any_io_executor executor, RetryPolicy policy,
                                                          std::function<void(const SessionEvent&)> listener) {
    return [breaker = std::make_shared<detail::CircuitBreaker>(executor, policy, std::move(listener))](
               const SessionEvent& event) { breaker->hear(event); };
}

} // namespace docent
