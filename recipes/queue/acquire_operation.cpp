// SPDX-License-Identifier: Apache-2.0
#include "queue/acquire_operation.hpp"

#include "client/core/access.hpp"
#include "lease/node_lease.hpp"

#include <utility>

namespace docent::detail {

AcquireOperation::AcquireOperation(std::shared_ptr<ClientView> view, SharedPlace place, AcquireWait wait, BootNow boot_now,
                                   Done<Lease> done)
    : view_(std::move(view)), arguments_(std::make_unique<Arguments>(
                                  Arguments{std::move(place), without_time_a_try(wait, view_->now()), std::move(boot_now)})),
      done_(std::move(done)) {}

void AcquireOperation::begin() {
    const auto arguments = std::move(arguments_);
    const QueuePlace& place = *arguments->place;
    if (view_->config().tracer) {
        span_ = LeaseSpan::begin(view_, {kind_of(place.token), place.path, place.terms.label}, arguments->boot_now);
    }
    driver_ = std::make_shared<AcquireDriver>(
        view_, arguments->place, arguments->wait,
        [self = shared_from_this(), this](error_code ec, GrantedNode node) {
            finish(ec, ec ? Lease{} : Lease(NodeLease::make(view_, std::move(node), driver_->boot_now())));
        },
        std::move(arguments->boot_now));
    const auto driver = driver_;
    driver->start();
}

void AcquireOperation::abort(error_code ec) {
    if (!driver_) return finish(ec, Lease{}); // it has not begun, or has completed
    const auto driver = driver_;
    driver->end(ec);
}

void AcquireOperation::finish(error_code ec, Lease lease) {
    driver_.reset();
    conclude(std::exchange(span_, nullptr), ec, Access::core(lease).get());
    if (done_) std::exchange(done_, nullptr)(ec, std::move(lease));
}

} // namespace docent::detail
