// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/operations/sequence_operation.hpp"

#include <docent/client.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

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

/// A set with `IfChanged::accept_same`: it succeeds if the node already has the data.
class SetSameOperation final : public SequenceOperation<Stat> {
public:
    SetSameOperation(std::shared_ptr<ClientView> view, zk::SetRequest request, Done<Stat> done)
        : SequenceOperation(std::move(done)), view_(std::move(view)), request_(std::move(request)) {}

private:
    std::shared_ptr<Operation> first() override;
    void on_set(error_code ec, const Stat& stat);
    void on_read(error_code ec, const zk::Reply& reply);

    std::shared_ptr<ClientView> view_;
    zk::SetRequest request_;
    std::shared_ptr<RequestOperation> setting_;
    bool in_doubt_ = false;
};

/// Replaces an ACL, and reads the Stat, which the C client leaves out of the answer.
class SetAclOperation final : public SequenceOperation<Stat> {
public:
    SetAclOperation(std::shared_ptr<ClientView> view, zk::SetAclRequest request, Done<Stat> done)
        : SequenceOperation(std::move(done)), view_(std::move(view)), request_(std::move(request)) {}

private:
    std::shared_ptr<Operation> first() override;
    void on_set(error_code ec);
    void read_stat(zk::Request request, const std::optional<RetryBudget>& budget, std::function<void(error_code, Stat)> then);

    std::shared_ptr<ClientView> view_;
    zk::SetAclRequest request_;
    std::shared_ptr<RequestOperation> setting_;
    std::shared_ptr<RequestOperation> reading_;
};

} // namespace docent::detail
