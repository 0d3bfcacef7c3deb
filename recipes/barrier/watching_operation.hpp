// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/core/retry_budget.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace docent::detail {

/// What waiting at barriers and latches has in common: looking, again after each event, each connection, and each lost reply.
class WatchingOperation : public ConnectedOperation<> {
public:
    WatchingOperation(std::shared_ptr<ClientView> view, Done<> done) : ConnectedOperation(std::move(view), std::move(done)) {}

    void abort(error_code ec) override { end(ec); }
    bool may_have_effects() const override { return false; } // an abort takes the node away
    bool in_doubt() const override { return false; }

protected:
    /// Hears of the session and of watches from now on, and looks.
    void start();
    void look_soon();
    /// What was asked for is answered: nothing to do until an event, if none has come meanwhile.
    void rest();
    /// Whether the reply was lost: then it will look again, or has ended.
    bool looks_again_after(const error_code& ec);
    void end(error_code ec);

    virtual void look() = 0;
    /// Whether it is what was waited for, and there is no need to look.
    virtual bool says_all(const WatchEvent&) const { return false; }
    /// Once, before it completes.
    virtual void on_end(error_code ec) = 0;

    zk::WatchSink watch_; // owns us, until it has completed

private:
    Registration listener_;
    std::optional<RetryBudget> budget_; // since it was last answered
    bool looking_ = false;
    bool changed_ = false; // an event has come since it began to look
};

} // namespace docent::detail
