// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/recipes/lease.hpp>

#include <memory>

namespace docent::detail {

/// A call that waits for a lock in a queue.
class AcquireOperation final : public Operation {
public:
    AcquireOperation(std::shared_ptr<ClientView> view, SharedPlace place, AcquireWait wait, BootNow boot_now, Done<Lease> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override { return Awaited::turn; }

private:
    struct Arguments {
        SharedPlace place;
        AcquireWait wait;
        BootNow boot_now;
    };

    void finish(error_code ec, Lease lease);

    std::shared_ptr<ClientView> view_;
    std::unique_ptr<Arguments> arguments_; // freed in begin(), to save memory in waiters
    std::shared_ptr<LeaseSpan> span_;
    Done<Lease> done_;
    std::shared_ptr<AcquireDriver> driver_; // its completion owns this object
};

} // namespace docent::detail
