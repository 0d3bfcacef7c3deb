// SPDX-License-Identifier: Apache-2.0
#pragma once

// Acquires a hold in a node that the process shares.

#include "client/core/operation.hpp"
#include "local/local_queue.hpp"
#include "queue/acquire_driver.hpp"

#include <docent/call_options.hpp>
#include <docent/detail/acquire_wait.hpp>

#include <memory>
#include <optional>

namespace docent::detail {

/// A call that waits among the waiters of its process, or for a node of its own.
class LocalAcquireOperation final : public Operation {
public:
    /// `place`: of the lock. The place of the queue may have the terms of another lock.
    LocalAcquireOperation(std::shared_ptr<ClientView> view, std::shared_ptr<LocalQueue> queue, SharedPlace place,
                          AcquireWait wait, Done<Lease> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override { return Awaited::turn; }

private:
    void enter();
    void on_answer(LocalOutcome outcome);
    void enter_alone();
    void finish(error_code ec, Lease lease);

    std::shared_ptr<ClientView> view_;
    std::shared_ptr<LocalQueue> queue_;
    const SharedPlace place_;
    AcquireWait wait_;
    Done<Lease> done_;
    std::shared_ptr<LeaseSpan> span_; // from begin() on
    std::optional<LocalQueue::Ticket> ticket_;
    Registration deadline_;
    std::shared_ptr<AcquireDriver> driver_; // for a node of its own; its completion owns this object
};

/// Waits without a limit, on the calling thread, among the waiters of this process. The hold that leaves wakes the thread. The
/// strand is not involved. Do not call it on a thread that runs the strand.
Lease wait_for_turn(const std::shared_ptr<LocalQueue>& queue, CallOptions call, error_code& ec);

} // namespace docent::detail
