// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connection_wait.hpp"
#include "client/core/operation.hpp"
#include "client/core/retry_budget.hpp"

namespace docent::detail {

/// One request that is sent until it is answered: waits for a connection, and sends again after a lost reply as the retry
/// policy says. Not for creates: see CreateOperation.
class RequestOperation final : public Operation {
public:
    /// Without a budget of a call that it is part of, it begins one.
    RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                     std::optional<RetryBudget> budget = {});

    void begin() override;
    void abort(error_code ec) override;
    error_code timeout_error() const override;
    bool may_have_effects() const override;

    const std::optional<RetryBudget>& budget() const { return budget_; }
    /// Whether an attempt whose reply was lost may have been applied.
    bool in_doubt() const { return in_doubt_; }

private:
    void attempt();
    void on_reply(zk::Reply reply);
    void retry(error_code ec);
    void finish(error_code ec, zk::Reply reply = {});

    std::shared_ptr<ClientView> view_;
    zk::Request request_;
    Done<zk::Reply> done_;
    ConnectionWait wait_;
    std::optional<RetryBudget> budget_;
    bool sent_ = false;
    bool in_doubt_ = false;
};

} // namespace docent::detail
