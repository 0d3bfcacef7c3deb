// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "barrier/double_barrier_rules.hpp"
#include "barrier/passage_operation.hpp"

#include <set>
#include <string>
#include <vector>

namespace docent::detail {

/// Takes a member's node away and waits until all who were inside have left.
class LeaveOperation final : public PassageOperation {
public:
    using PassageOperation::PassageOperation;

    void begin() override { pass(DoubleBarrierCore::Stage::inside, DoubleBarrierCore::Stage::leaving); }

private:
    void look() override;
    void on_end(error_code ec) override;
    void on_listed(const zk::Reply& reply);
    void act(const RemoveOwn& step);
    void act(const RemoveOwnAndReady& step);
    void act(const AwaitRemoval& step);
    void act(const AllHaveLeft& step);
    void on_removed(const error_code& ec);
    void forget();

    std::set<std::string> inside_; // when it began to leave
    bool listed_ = false;
    bool own_is_there_ = true;
    bool removing_ = false; // its node; else somebody else did
    bool lost_ = false;
    bool ready_may_be_there_ = true;
    std::string awaited_;
};

} // namespace docent::detail
