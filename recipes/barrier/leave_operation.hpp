// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/double_barrier_rules.hpp"
#include "barrier/passage_operation.hpp"

#include <set>
#include <string>
#include <vector>

namespace docent::detail {

/// Removes a member's node and waits until all members that were inside have left.
class LeaveOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(DoubleBarrierCore::Stage::inside, DoubleBarrierCore::Stage::leaving); }
    /// The member leaves, also if the call is cancelled before it begins.
    void abort(error_code ec) override {
        if (is_open() && !watch_ && core_->stage == DoubleBarrierCore::Stage::inside) on_end(ec);
        end(ec);
    }

private:
    void look() override;
    void on_end(error_code ec) override;
    void on_listed(const zk::Reply& reply);
    void decide(LeavingView seen);
    void act(const RemoveOwn& step);
    void act(const RemoveOwnAndReady& step);
    void act(const AwaitRemoval& step);
    void act(const LookForReady& step);
    void act(const AllHaveLeft& step);
    void on_removed(const error_code& ec);
    void forget_awaited();

    std::set<std::string> inside_; // the members inside when the call began
    bool listed_ = false;
    bool own_is_there_ = true;
    bool removing_ = false; // this call has removed the member's node; otherwise another client did
    bool lost_ = false;
    bool ready_may_be_there_ = true;
    bool looked_for_ready_ = false;
    std::string awaited_;
};

} // namespace docent::detail
