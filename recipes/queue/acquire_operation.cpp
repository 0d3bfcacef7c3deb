// SPDX-License-Identifier: Apache-2.0
#include "queue/acquire_operation.hpp"

#include "client/core/access.hpp"
#include "lease/node_lease.hpp"

#include <utility>

namespace docent::detail {

AcquireOperation::AcquireOperation(std::shared_ptr<ClientView> view, QueuePlace place, AcquireWait wait, BootNow boot_now,
                                   Done<Lease> done)
    : view_(std::move(view)), place_(std::make_unique<QueuePlace>(std::move(place))),
      wait_(without_time_a_try(wait, view_->now())), boot_now_(std::move(boot_now)), done_(std::move(done)) {}

void AcquireOperation::begin() {
    story_ = LeaseStory::begin(view_, {kind_of(place_->token), place_->path, place_->terms.label}, boot_now_);
    driver_ = std::make_shared<AcquireDriver>(
        view_, std::move(*place_), wait_,
        [self = shared_from_this(), this](error_code ec, GrantedNode node) {
            finish(ec, ec ? Lease{} : Lease(NodeLease::make(view_, std::move(node), boot_now_)));
        },
        boot_now_);
    place_.reset();
    const auto driver = driver_;
    driver->start();
}

void AcquireOperation::abort(error_code ec) {
    if (!driver_) return finish(ec, Lease{}); // not begun, or completed
    const auto driver = driver_;
    ec == error::not_acquired ? driver->expire() : driver->cancel();
}

void AcquireOperation::finish(error_code ec, Lease lease) {
    driver_.reset();
    conclude(std::exchange(story_, nullptr), ec, Access::core(lease).get());
    if (done_) std::exchange(done_, nullptr)(ec, std::move(lease));
}

} // namespace docent::detail
