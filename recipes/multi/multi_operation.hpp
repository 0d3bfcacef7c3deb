// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/operation.hpp"
#include "multi/multi_core.hpp"
#include "multi/multi_machine.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace docent::detail {

/// A call that takes several locks: carries out the actions of a MultiMachine.
class MultiOperation final : public Operation {
public:
    /// `call`: gives the retry policy of each attempt.
    MultiOperation(std::shared_ptr<MultiCore> core, AcquireWait wait, CallOptions call, Done<MultiLease> done);

    void begin() override;
    void abort(error_code ec) override;
    Awaited awaited() const override { return Awaited::turn; }

private:
    struct Slot {
        std::shared_ptr<Operation> attempt; // under way; owns this object
        Lease lease;
        Registration over;
    };

    void perform(MultiActions actions);
    void perform(const TryLock& action) { ask(action.lock, {AcquireWait::Kind::not_at_all}); }
    void perform(const AwaitLock& action) { ask(action.lock, {}); }
    void perform(const AbortAttempt& action);
    void perform(const GiveBack& action);
    void perform(const GrantAll& action);
    void perform(const FailAll& action);

    const LockSource& source(std::size_t lock) const { return *core_->listed()[core_->order()[lock]]; }
    void ask(std::size_t lock, AcquireWait wait);
    void on_answer(std::size_t lock, error_code ec, Lease lease);
    void finish(error_code ec, MultiLease lease);

    const std::shared_ptr<MultiCore> core_;
    const AcquireWait wait_;
    const CallOptions call_;
    Done<MultiLease> done_;
    std::vector<Slot> slots_;             // in the machine's order
    std::optional<MultiMachine> machine_; // from begin() on
    std::deque<MultiAction> to_do_;
    bool performing_ = false;
    Registration deadline_;
};

} // namespace docent::detail
