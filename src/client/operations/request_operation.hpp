// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/core/retry_budget.hpp"

namespace docent::detail {

/// One request that is sent until it is answered: waits for a connection, and sends again after a lost reply as the retry
/// policy says. Not for creates: see CreateOperation.
class RequestOperation final : public ConnectedOperation<zk::Reply> {
public:
    /// Without a budget of a call that it is part of, it begins one.
    RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                     std::optional<RetryBudget> budget = {});

    void begin() override;
    Awaited awaited() const override;
    /// Whether an attempt whose reply was lost may have been applied.
    bool in_doubt() const override { return in_doubt_; }

    const std::optional<RetryBudget>& budget() const { return budget_; }

private:
    void attempt();
    void on_reply(zk::Reply&& reply);
    void retry(error_code ec);

    zk::Request request_;
    std::optional<RetryBudget> budget_;
    bool in_doubt_ = false;
};

} // namespace docent::detail
