// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/double_barrier_core.hpp"
#include "client/core/connected_operation.hpp"
#include "client/core/retry_budget.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace docent::detail {

/// What entering and leaving have in common: looking at the barrier, again after each event, each connection, and each lost
/// reply.
class DoubleBarrierOperation : public ConnectedOperation<> {
public:
    DoubleBarrierOperation(std::shared_ptr<ClientView> view, std::shared_ptr<DoubleBarrierCore> core, Done<> done)
        : ConnectedOperation(std::move(view), std::move(done)), core_(std::move(core)) {}

    void abort(error_code ec) override { end(ec); }
    error_code timeout_error() const override;
    bool may_have_effects() const override { return false; } // an abort takes the node away
    bool in_doubt() const override { return false; }

protected:
    /// Hears of the session and of watches from now on, and looks. False, when it has ended, if it is not its turn.
    bool start(DoubleBarrierCore::Place from, DoubleBarrierCore::Place to);
    void look_soon();
    /// What was asked for is answered: nothing to do until an event, if none has come meanwhile.
    void rest();
    /// Whether the reply was lost: then it will look again, or has ended.
    bool looks_again_after(const error_code& ec);
    void end(error_code ec);

    virtual void look() = 0;
    /// Once, before it completes.
    virtual void on_end(error_code ec) = 0;
    std::string path_of(std::string_view name) const;

    const std::shared_ptr<DoubleBarrierCore> core_;
    zk::WatchSink watch_; // owns us, until it has completed

private:
    Registration listener_;
    std::optional<RetryBudget> budget_; // since it was last answered
    bool looking_ = false;
    bool changed_ = false; // an event has come since it began to look
};

} // namespace docent::detail
