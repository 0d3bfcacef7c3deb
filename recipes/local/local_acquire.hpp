// SPDX-License-Identifier: Apache-2.0
#pragma once

// Acquires a lock: with a separate node, or by a hold in a node that the process shares.

#include "client/core/operation.hpp"
#include "local/local_queue.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/call_options.hpp>
#include <docent/detail/deadline.hpp>

#include <memory>
#include <optional>

namespace docent::detail {

/// A call that waits for a lock.
class AcquireOperation final : public Operation {
public:
    /// `queue`: of the waiters of this process; null if each hold has a separate node. `place`: of the lock. The place of the
    /// queue has no `max_hold`, and may have another `label`.
    AcquireOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LocalQueue> queue, SharedPlace place, AcquireWait wait,
                     BootNow boot_now, Done<Lease> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override { return Awaited::turn; }

private:
    /// The members that are not needed once the driver has started.
    struct BeforeDriver {
        SharedPlace place;
        AcquireWait wait;
        BootNow boot_now;
        std::optional<LocalQueue::Ticket> ticket = {};
        Registration deadline = {};
    };

    void enter();
    void on_answer(LocalOutcome outcome);
    void enter_alone();
    void finish(error_code ec, Lease lease);

    std::shared_ptr<ClientView> view_;
    std::shared_ptr<LocalQueue> queue_;
    std::unique_ptr<BeforeDriver> before_; // freed in enter_alone(), to save memory in waiters
    Done<Lease> done_;
    std::shared_ptr<LeaseSpan> span_;       // from begin() on
    std::shared_ptr<AcquireDriver> driver_; // for a node of its own; its completion owns this object
};

/// Waits without a limit, on the calling thread, among the waiters of this process. The hold that leaves wakes the thread. The
/// strand is not involved. Do not call it on a thread that runs the strand.
Lease wait_for_turn(const std::shared_ptr<LocalQueue>& queue, CallOptions call, error_code& ec);

} // namespace docent::detail
