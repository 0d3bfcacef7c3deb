// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/operations/create_operation.hpp"
#include "client/operations/request_operation.hpp"
#include "client/operations/sequence_operation.hpp"

namespace docent::detail {

/// A create with `CreateOptions::if_exists`, for the case that the node exists.
class CreateOrOperation final : public SequenceOperation<Created> {
public:
    CreateOrOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options, Done<Created> done);

private:
    std::shared_ptr<Operation> first() override { return create(); }
    std::shared_ptr<Operation> create();
    void on_created(error_code ec, Created created);
    void look_at_existing();
    void on_existing(error_code ec, const zk::Reply& reply);
    bool is_same(const zk::Reply& reply) const;

    std::shared_ptr<ClientView> view_;
    zk::CreateRequest request_;
    CreateOptions options_;
    std::shared_ptr<CreateOperation> creating_;
    std::shared_ptr<RequestOperation> looking_;
    std::optional<RetryBudget> budget_;
    bool in_doubt_ = false;
    int rounds_ = 0;
};

} // namespace docent::detail
