// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace docent::detail {

/// The common part of waits at barriers and latches: looks again after each event, each connect, and each lost reply.
class WatchingOperation : public ConnectedOperation<> {
public:
    WatchingOperation(std::shared_ptr<ClientView> view, Done<> done) : ConnectedOperation(std::move(view), std::move(done)) {}

    void abort(error_code ec) override { end(ec); }
    bool may_have_effects() const override { return false; } // an abort removes the node
    bool in_doubt() const override { return false; }

protected:
    /// Registers for session events and watches, and looks.
    void start();
    void look_soon();
    /// A look is answered: waits for an event, unless one has come meanwhile.
    void rest();
    /// Returns whether the reply was lost. Then the operation looks again, or has ended.
    bool looks_again_after(const error_code& ec);
    void end(error_code ec);

    virtual void look() = 0;
    /// Whether the event ends the wait without a look.
    virtual bool says_all(const WatchEvent&) const { return false; }
    /// Called once, before the operation completes.
    virtual void on_end(error_code ec) = 0;

    zk::WatchSink watch_; // owns this object until it has completed

private:
    Registration listener_;
    std::optional<RetryBudget> budget_; // since the last answer
    bool looking_ = false;
    bool changed_ = false; // an event has come since the look began
};

} // namespace docent::detail
