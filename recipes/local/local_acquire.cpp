// SPDX-License-Identifier: Apache-2.0
#include "local/local_acquire.hpp"

#include "base/while_alive.hpp"
#include "client/core/access.hpp"
#include "client/core/blocking.hpp"
#include "lease/node_lease.hpp"
#include "posix/threads.hpp"

#include <boost/asio/error.hpp>

#include <stop_token>
#include <utility>

namespace docent::detail {

AcquireOperation::AcquireOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LocalQueue> queue, SharedPlace place,
                                   AcquireWait wait, BootNow boot_now, Done<Lease> done)
    : view_(std::move(view)), queue_(std::move(queue)),
      before_(std::make_unique<BeforeDriver>(
          BeforeDriver{std::move(place), without_time_a_try(wait, view_->now()), std::move(boot_now)})),
      done_(std::move(done)) {}

void AcquireOperation::begin() {
    const QueuePlace& place = *before_->place;
    span_ = LeaseSpan::begin(view_, kind_of(place.token), place.path, place.terms, before_->boot_now);
    queue_ ? enter() : enter_alone();
}

void AcquireOperation::enter() {
    if (Lease lease = queue_->enter_at_once(queue_)) return finish({}, std::move(lease));
    if (before_->wait.kind == AcquireWait::Kind::until) {
        const auto on_time = while_alive(weak_from_this(), [this] { abort(error_when_over(*view_, Awaited::turn)); });
        before_->deadline = view_->call_at(before_->wait.deadline, on_time);
    }
    const bool tries = before_->wait.kind == AcquireWait::Kind::not_at_all;
    before_->ticket = queue_->wait(tries, [self = shared_from_this(), this](LocalOutcome outcome) {
        view_->post(
            [self, this, answer = std::make_shared<LocalOutcome>(std::move(outcome))] { on_answer(std::move(*answer)); });
    });
}

void AcquireOperation::on_answer(LocalOutcome outcome) {
    before_->ticket.reset();
    if (!done_) return; // aborted too late: the lease that was granted is released
    if (outcome.alone) return enter_alone();
    if (outcome.lease && !outcome.lease.owns()) return enter(); // lost meanwhile: a lease must be certain when it is granted
    finish(outcome.ec, std::move(outcome.lease));
}

void AcquireOperation::enter_alone() {
    const auto before = std::move(before_); // its deadline ends, too: the driver sets another
    driver_ = std::make_shared<AcquireDriver>(
        view_, queue_ ? queue_->place() : before->place, before->wait,
        [self = shared_from_this(), this](error_code ec, GrantedNode node) {
            if (ec) return finish(ec, Lease{});
            if (queue_) return finish({}, queue_->adopt(view_, std::move(node)));
            finish({}, Lease(NodeLease::make(view_, std::move(node), driver_->boot_now())));
        },
        std::move(before->boot_now));
    const auto driver = driver_;
    driver->start();
}

void AcquireOperation::abort(error_code ec) {
    if (const auto driver = driver_) return driver->end(ec);
    const auto self = shared_from_this();
    if (before_ && before_->ticket) queue_->give_up(*std::exchange(before_->ticket, std::nullopt));
    finish(ec, Lease{});
}

void AcquireOperation::finish(error_code ec, Lease lease) {
    driver_.reset();
    if (before_) before_->deadline.reset();
    conclude(std::exchange(span_, nullptr), ec, Access::core(lease).get());
    if (done_) std::exchange(done_, nullptr)(ec, std::move(lease));
}

namespace {

/// A blocked thread. The hold that leaves, or a stop request, wakes it.
struct WaitingThread {
    posix::Parker parker;
    LocalOutcome outcome;

    void wake(LocalOutcome with) {
        outcome = std::move(with);
        parker.unpark();
    }
};

Lease wait_plainly(const std::shared_ptr<LocalQueue>& queue, const std::stop_token& stop, error_code& ec) {
    const auto waiting = std::make_shared<WaitingThread>();
    const auto ticket = queue->wait(false, [waiting](LocalOutcome outcome) { waiting->wake(std::move(outcome)); });
    const std::stop_callback give_up(stop, [&] {
        if (queue->give_up(ticket)) waiting->wake({.ec = asio::error::operation_aborted});
    });
    waiting->parker.park();
    ec = waiting->outcome.ec;
    return std::move(waiting->outcome.lease);
}

/// A blocked thread that can be interrupted.
struct WaitingHandler {
    std::optional<Handler<Lease>> handler; // in Boost 1.81, a handler can be moved but not assigned
    std::optional<std::stop_callback<std::function<void()>>> stop;

    void wake(error_code ec, Lease lease) { std::move (*handler)(ec, std::move(lease)); }
};

} // namespace

Lease wait_for_turn(const std::shared_ptr<LocalQueue>& queue, CallOptions call, error_code& ec) {
    if (!queue->view()->is_here()) return ec = error::other_process, Lease{};
    const ClientView& view = *queue->view();
    const bool is_certain_to_go_on = view.is_started() && !view.shares_executor(); // otherwise block_on() checks the strand
    if (is_certain_to_go_on && !boost::this_thread::interruption_enabled()) return wait_plainly(queue, call.stop, ec);
    const auto waiting = std::make_shared<WaitingHandler>(); // lives, with its stop callback, until the call is over
    return block_on<Lease>(*queue->view(), std::move(call), ec, [&](CallOptions options, Handler<Lease> handler) {
        waiting->handler.emplace(std::move(handler));
        const auto ticket =
            queue->wait(false, [waiting](LocalOutcome outcome) { waiting->wake(outcome.ec, std::move(outcome.lease)); });
        waiting->stop.emplace(std::move(options.stop), [waiting = waiting.get(), queue, ticket] {
            if (queue->give_up(ticket)) waiting->wake(asio::error::operation_aborted, {});
        });
    });
}

} // namespace docent::detail
