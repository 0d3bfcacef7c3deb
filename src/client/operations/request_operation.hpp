// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// Sends one request until it is answered: waits for a connection, and sends it again after a lost reply, by the retry policy.
/// Not for creates: see CreateOperation.
class RequestOperation final : public ConnectedOperation<zk::Reply> {
public:
    /// `budget`: from the call that this is a part of. Without one, it begins its own.
    RequestOperation(std::shared_ptr<ClientView> view, zk::Request request, Done<zk::Reply> done,
                     std::optional<RetryBudget> budget = {});

    void begin() override;
    Awaited awaited() const override;
    /// Whether an attempt with a lost reply may have been applied.
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

/// Changes the ensemble, once: after a lost reply, the change cannot be told apart from changes by others.
class ReconfigureOperation final : public ConnectedOperation<NodeData> {
public:
    ReconfigureOperation(std::shared_ptr<ClientView> view, zk::ReconfigRequest request, Done<NodeData> done);

    void begin() override;

private:
    zk::ReconfigRequest request_;
};

} // namespace docent::detail
