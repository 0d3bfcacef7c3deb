// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connected_operation.hpp"
#include "client/operations/create_machine.hpp"
#include "client/operations/node_claims.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// Carries out the actions of a CreateMachine.
class CreateOperation final : public ConnectedOperation<Created> {
public:
    CreateOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options, Done<Created> done,
                    std::optional<RetryBudget> budget = {});

    void begin() override;
    void abort(error_code ec) override;
    bool in_doubt() const override { return machine_ && machine_->in_doubt(); }

    /// Null before the first attempt.
    const CreateMachine* machine() const { return machine_ ? &*machine_ : nullptr; }

private:
    void perform(CreateActions actions);
    void act(SendCreate action);
    void act(FindCreated action);
    void act(ReadCreated action);
    void on_read(const zk::Reply& reply);
    void act(PauseCreate action);
    void act(AbandonCreated action);
    void act(FinishCreate action);
    CreateMachine::Session session() const;

    zk::CreateRequest request_;
    CreateOptions options_;
    std::optional<RetryBudget> budget_; // from the call that this is a part of
    std::optional<CreateMachine> machine_;
    std::optional<NodeClaims::Seat> seat_; // for a node whose only mark of its owner is the session
    std::string refused_parent_;           // the parent that is missing and may not be created
};

} // namespace docent::detail
