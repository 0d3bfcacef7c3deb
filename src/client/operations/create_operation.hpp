// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/core/connection_wait.hpp"
#include "client/core/operation.hpp"
#include "client/operations/create_machine.hpp"

#include <docent/client.hpp>

namespace docent::detail {

/// Carries out what CreateMachine decides.
class CreateOperation final : public Operation {
public:
    CreateOperation(std::shared_ptr<ClientView> view, zk::CreateRequest request, CreateOptions options, Done<Created> done,
                    std::optional<RetryBudget> budget = {});

    void begin() override;
    void abort(error_code ec) override;
    error_code timeout_error() const override;
    bool may_have_effects() const override { return sent_; }

    /// Null before the first attempt.
    const CreateMachine* machine() const { return machine_ ? &*machine_ : nullptr; }

private:
    void perform(CreateActions actions);
    void act(SendCreate action);
    void act(FindCreated action);
    void act(ReadCreated action);
    void act(PauseCreate action);
    void act(AbandonCreated action);
    void act(FinishCreate action);
    void when_connected(std::function<void()> then);
    CreateMachine::Session session() const;

    std::shared_ptr<ClientView> view_;
    zk::CreateRequest request_;
    CreateOptions options_;
    Done<Created> done_;
    ConnectionWait wait_;
    std::optional<RetryBudget> budget_; // of the call that it is part of
    std::optional<CreateMachine> machine_;
    bool sent_ = false;
};

} // namespace docent::detail
