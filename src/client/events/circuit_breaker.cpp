// SPDX-License-Identifier: Apache-2.0
#include <docent/circuit_breaker.hpp>

#include "client/events/circuit_breaker_machine.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <memory>
#include <random>
#include <utility>

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
        asio::post(strand_, [weak = weak_from_this(), event] {
            if (const auto self = weak.lock()) self->perform(self->machine_.on_event(event, now(), self->random_()));
        });
    }

private:
    static steady_clock::time_point now() { return steady_clock::now(); }

    void perform(const CircuitBreakerActions& actions) {
        for (const auto& action : actions) std::visit([this](const auto& a) { act(a); }, action);
    }
    void act(const TellListener& action) { listener_(action.event); }
    void act(const LookAfter& action) {
        timer_.expires_at(later(now(), action.pause));
        timer_.async_wait([weak = weak_from_this()](const error_code& ec) {
            const auto self = weak.lock();
            if (self && !ec) self->perform(self->machine_.on_look(now(), self->random_()));
        });
    }
    void act(const StopLooking&) { timer_.cancel(); }

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
