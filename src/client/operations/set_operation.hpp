// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace docent::detail {

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
